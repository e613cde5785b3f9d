// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

// model is a subnet kept the plain way: who has which address.
type model map[netip.Addr]string // "" never; "out", "gateway", "block", "owner"

func (m model) lowest(r Range) (netip.Addr, bool) {
	for a := r.First; r.Contains(a); a = a.Next() {
		if _, taken := m[a]; !taken {
			return a, true
		}
	}
	return netip.Addr{}, false
}

// TestPoolModel compares pools with the model under random operations.
func TestPoolModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(24, 31).Draw(t, "bits")
		whole := RangeOf(netip.PrefixFrom(ip("10.1.1.0"), bits))
		anyAddr := rapid.Custom(func(t *rapid.T) netip.Addr {
			return addr4(number4(ip("10.1.0.254")) + uint32(rapid.IntRange(0, 1<<(32-bits)+4).Draw(t, "host")))
		})
		inside := rapid.Custom(func(t *rapid.T) netip.Addr {
			return addr4(number4(whole.First) + uint32(rapid.IntRange(0, 1<<(32-bits)-1).Draw(t, "host")))
		})
		s := Spec{Prefix: netip.PrefixFrom(whole.First, bits), Gateway: inside.Draw(t, "gateway")}
		if rapid.Bool().Draw(t, "ranged") {
			s.First, s.Last = inside.Draw(t, "first"), inside.Draw(t, "last")
			if s.Last.Less(s.First) {
				s.First, s.Last = s.Last, s.First
			}
		}
		p, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		m := model{whole.First: "out", whole.Last: "out"}
		for a := whole.First; whole.Contains(a); a = a.Next() {
			if !s.Range().Contains(a) {
				m[a] = "out"
			}
		}
		if _, out := m[s.Gateway]; !out {
			m[s.Gateway] = "gateway"
		}
		var blocks []Range
		t.Repeat(map[string]func(*rapid.T){
			"first": func(t *rapid.T) {
				want, ok := m.lowest(whole)
				got, err := p.Rest(blocks).First()
				if got != want || ok != (err == nil) || err != nil && !errors.Is(err, ErrExhausted) {
					t.Fatalf("first: want %s, got %s (%v)", want, got, err)
				}
				if ok {
					m[got] = "owner"
					if err := p.Acquire(got); err != nil {
						t.Fatal(err)
					}
				}
			},
			"next": func(t *rapid.T) {
				after := anyAddr.Draw(t, "after")
				want, ok := m.lowest(whole)
				if whole.Contains(after) && m[after] != "out" {
					if later, found := m.lowest(Range{after.Next(), whole.Last}); found {
						want = later
					}
				}
				got, err := p.Rest(blocks).Next(after)
				if got != want || ok != (err == nil) || err != nil && !errors.Is(err, ErrExhausted) {
					t.Fatalf("next after %s: want %s, got %s (%v)", after, want, got, err)
				}
			},
			"take": func(t *rapid.T) {
				a := anyAddr.Draw(t, "addr")
				why, taken := m[a]
				want := map[string]error{"owner": ErrInUse, "block": ErrReserved, "gateway": ErrReserved, "out": ErrOutOfRange, "": nil}[why]
				if !whole.Contains(a) {
					want, taken = ErrOutOfRange, true
				}
				if err := p.Rest(blocks).Check(a); !errors.Is(err, want) {
					t.Fatalf("take %s: want %v, got %v", a, want, err)
				}
				if !taken {
					m[a] = "owner"
					if err := p.Acquire(a); err != nil {
						t.Fatal(err)
					}
				}
			},
			"release": func(t *rapid.T) {
				a := anyAddr.Draw(t, "addr")
				want := m[a] == "owner"
				if got := p.Release(a); got != want {
					t.Fatalf("release %s: want %v, got %v", a, want, got)
				}
				if want {
					delete(m, a)
				}
			},
			"clone": func(*rapid.T) { p = p.Clone() },
			"block": func(t *rapid.T) {
				r := Range{anyAddr.Draw(t, "first"), anyAddr.Draw(t, "last")}
				want := !r.Last.Less(r.First) && whole.Contains(r.First) && whole.Contains(r.Last)
				for a := r.First; want && r.Contains(a); a = a.Next() {
					_, taken := m[a]
					want = !taken
				}
				if err := p.Rest(blocks).CheckAll(r); (err == nil) != want {
					t.Fatalf("block %s: want ok %v, got %v", r, want, err)
				}
				if !want {
					return
				}
				blocks = append(blocks, r)
				for a := r.First; r.Contains(a); a = a.Next() {
					m[a] = "block"
				}
			},
			"take of a block": func(t *rapid.T) {
				if len(blocks) == 0 {
					t.Skip("there is none")
				}
				r := blocks[0]
				b := p.Block(r)
				if first, err := b.First(); err != nil || first != r.First || !b.Contains(first) || p.Rest(blocks).Contains(first) {
					t.Fatalf("first of block %s: got %s (%v)", r, first, err)
				}
				if err := b.Check(r.First.Prev()); !errors.Is(err, ErrOutOfRange) {
					t.Fatalf("before block %s: got %v", r, err)
				}
				if err := p.Acquire(r.First); err != nil || b.AllocatedText() != r.First.String() {
					t.Fatalf("taken of block %s: %v, %q", r, err, b.AllocatedText())
				}
				p.Release(r.First)
				blocks = blocks[1:]
				for a := r.First; r.Contains(a); a = a.Next() {
					delete(m, a)
				}
			},
			"": func(t *rapid.T) {
				var free []netip.Addr
				for a := whole.First; whole.Contains(a); a = a.Next() {
					if _, taken := m[a]; !taken {
						free = append(free, a)
					}
				}
				if got, want := p.Rest(blocks).AvailableText(), Text(free); got != want {
					t.Fatalf("want %q free, got %q", want, got)
				}
			},
		})
	})
}

// TestPool6Model compares the IPv6 pool of a small subnet with the model.
func TestPool6Model(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(121, 127).Draw(t, "bits")
		subnet := netip.PrefixFrom(ip("2001:db8::"), bits)
		whole := RangeOf(subnet)
		addr := rapid.Custom(func(t *rapid.T) netip.Addr {
			id := rapid.IntRange(0, 1<<(128-bits)-1).Draw(t, "id")
			return host6(subnet, fmt.Sprintf("::%x", id))
		})
		gateway := addr.Draw(t, "gateway")
		p, err := New6(Spec6{Prefix: subnet, Gateway: gateway})
		if err != nil {
			t.Fatal(err)
		}
		m, last := model{whole.First: "out", gateway: "out"}, whole.First
		taken := func(a netip.Addr) bool { return m[a] == "owner" }
		t.Repeat(map[string]func(*rapid.T){
			"next": func(t *rapid.T) {
				want, ok := m.lowest(Range{last.Next(), whole.Last})
				if !ok {
					want, ok = m.lowest(Range{whole.First, last})
				}
				got, err := p.Next(last, taken)
				if got != want || ok != (err == nil) {
					t.Fatalf("next after %s: want %s, got %s (%v)", last, want, got, err)
				}
				if ok {
					m[got], last = "owner", got
				}
			},
			"take": func(t *rapid.T) {
				a := addr.Draw(t, "addr")
				want := map[string]error{"owner": ErrInUse, "out": ErrReserved, "": nil}[m[a]]
				if err := p.Check(a, taken); !errors.Is(err, want) {
					t.Fatalf("take %s: want %v, got %v", a, want, err)
				}
				if want == nil {
					m[a] = "owner"
				}
			},
			"release": func(t *rapid.T) {
				a := addr.Draw(t, "addr")
				if m[a] == "owner" {
					delete(m, a)
				}
			},
		})
	})
}
