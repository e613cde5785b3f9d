// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
)

func pool(tb testing.TB, subnet, gateway string) *Pool {
	tb.Helper()
	s, err := ParseSpec(subnet)
	if err != nil {
		tb.Fatal(err)
	}
	if gateway != "" {
		s.Gateway = netip.MustParseAddr(gateway)
	}
	p, err := New(s)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func ip(s string) netip.Addr { return netip.MustParseAddr(s) }

// next takes the lowest free address.
func next(p *Pool, b Block) (netip.Addr, error) {
	a, err := b.First()
	if err == nil {
		err = p.Acquire(a)
	}
	return a, err
}

func check(tb testing.TB, what string, p *Pool, alloc, avail string) {
	tb.Helper()
	if got := p.Rest(nil).AllocatedText(); got != alloc {
		tb.Errorf("%s: allocated: want %q, got %q", what, alloc, got)
	}
	if got := p.Rest(nil).AvailableText(); got != avail {
		tb.Errorf("%s: available: want %q, got %q", what, avail, got)
	}
}

// IPAM-06: usable addresses by prefix length.
func TestFresh(t *testing.T) {
	tests := []struct{ name, subnet, gateway, alloc, avail string }{
		{"/24", "10.1.1.0/24", "", "", "10.1.1.1-10.1.1.254"},
		{"/27", "10.1.1.0/27", "", "", "10.1.1.1-10.1.1.30"},
		{"/28", "10.1.1.0/28", "", "", "10.1.1.1-10.1.1.14"},
		{"/29", "10.1.1.0/29", "", "", "10.1.1.1-10.1.1.6"},
		{"/30", "10.1.1.0/30", "", "", "10.1.1.1-10.1.1.2"},
		{"/31", "10.1.1.0/31", "", "", ""},
		{"/8", "10.0.0.0/8", "", "", "10.0.0.1-10.255.255.254"},
		{"top of the space", "255.0.0.0/8", "", "", "255.0.0.1-255.255.255.254"},
		{"range", "10.1.1.5-10.1.1.15/27", "", "", "10.1.1.5-10.1.1.15"},
		{"range to the end", "10.100.100.194-10.100.100.222/27", "", "", "10.100.100.194-10.100.100.222"},
		{"range with both ends reserved", "10.1.1.0-10.1.1.255/24", "", "", "10.1.1.1-10.1.1.254"},
		{"range of the broadcast", "10.1.1.255-10.1.1.255/24", "", "", ""},
		{"unmasked", "10.1.1.77/24", "", "", "10.1.1.1-10.1.1.254"},
		{"gateway", "10.1.1.0/24", "10.1.1.254", "10.1.1.254", "10.1.1.1-10.1.1.253"},
		{"gateway outside the range", "10.1.1.5-10.1.1.15/27", "10.1.1.1", "", "10.1.1.5-10.1.1.15"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pool(t, tt.subnet, tt.gateway)
			check(t, "fresh", p, tt.alloc, tt.avail)
		})
	}
}

func TestNewRefuses(t *testing.T) {
	pfx := netip.MustParsePrefix
	tests := []struct {
		name string
		in   Spec
	}{
		{"too long", Spec{Prefix: pfx("10.1.1.1/32")}},
		{"too short", Spec{Prefix: pfx("10.0.0.0/7")}},
		{"IPv6", Spec{Prefix: pfx("2001::/64")}},
		{"nothing", Spec{}},
		{"gateway outside", Spec{Prefix: pfx("10.1.1.0/24"), Gateway: ip("10.1.2.1")}},
		{"IPv6 gateway", Spec{Prefix: pfx("10.1.1.0/24"), Gateway: ip("::1")}},
		{"first outside", Spec{Prefix: pfx("10.1.1.0/24"), First: ip("10.1.0.255")}},
		{"last outside", Spec{Prefix: pfx("10.1.1.0/24"), Last: ip("10.1.2.0")}},
		{"backwards", Spec{Prefix: pfx("10.1.1.0/24"), First: ip("10.1.1.9"), Last: ip("10.1.1.8")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if p, err := New(tt.in); err == nil {
				t.Errorf("want an error, got %v", p)
			}
		})
	}
}

// IPAM-09: freed addresses leave gaps.
func TestTakeAndRelease(t *testing.T) {
	p := pool(t, "10.1.1.0/24", "10.1.1.254")
	for i := 1; i <= 7; i++ {
		got, err := next(p, p.Rest(nil))
		if want := ip(fmt.Sprintf("10.1.1.%d", i)); got != want || err != nil {
			t.Fatalf("next: want %s, got %s (%v)", want, got, err)
		}
	}
	for _, a := range []string{"10.1.1.3", "10.1.1.4", "10.1.1.6"} {
		if !p.Release(ip(a)) {
			t.Errorf("release %s: want true", a)
		}
	}
	check(t, "after releases", p, "10.1.1.1-10.1.1.2, 10.1.1.5, 10.1.1.7, 10.1.1.254",
		"10.1.1.3-10.1.1.4, 10.1.1.6, 10.1.1.8-10.1.1.253")
	for a, want := range map[string]error{
		"10.1.1.254": ErrReserved, "10.1.1.255": ErrOutOfRange, "10.1.1.0": ErrOutOfRange, "10.1.2.1": ErrOutOfRange,
		"10.1.1.5": ErrInUse, "10.1.1.3": nil, "::1": ErrOutOfRange, "::ffff:10.1.1.9": ErrOutOfRange,
	} {
		if err := p.Acquire(ip(a)); !errors.Is(err, want) {
			t.Errorf("take %s: want %v, got %v", a, want, err)
		}
	}
	for _, a := range []string{"10.1.1.254", "10.1.1.0", "10.1.1.200", "10.9.9.9", "::1"} {
		if p.Release(ip(a)) {
			t.Errorf("release %s: want false", a)
		}
	}
	if err := p.Acquire(netip.Addr{}); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("take of no address: want %v, got %v", ErrOutOfRange, err)
	}
}

func TestExhaustion(t *testing.T) {
	p := pool(t, "10.1.1.0/30", "")
	for range 2 {
		if _, err := next(p, p.Rest(nil)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := next(p, p.Rest(nil)); !errors.Is(err, ErrExhausted) {
		t.Errorf("want %v, got %v", ErrExhausted, err)
	}
	p.Release(ip("10.1.1.2"))
	if a, err := next(p, p.Rest(nil)); err != nil || a != ip("10.1.1.2") {
		t.Errorf("want 10.1.1.2 again, got %s (%v)", a, err)
	}
}

// IPAM-17, IPAM-18: ranges taken, and a part given back; a range outside of the subnet is none.
func TestListOfRanges(t *testing.T) {
	p := pool(t, "10.36.0.0/16", "")
	for _, r := range [][2]string{{"10.36.0.1", "10.36.0.10"}, {"10.36.2.1", "10.36.2.10"}} {
		for a := ip(r[0]); a.Compare(ip(r[1])) <= 0; a = a.Next() {
			if err := p.Acquire(a); err != nil {
				t.Fatal(err)
			}
		}
	}
	check(t, "taken", p, "10.36.0.1-10.36.0.10, 10.36.2.1-10.36.2.10", "10.36.0.11-10.36.2.0, 10.36.2.11-10.36.255.254")
	for _, a := range []string{"10.36.0.5", "10.36.0.6", "10.36.0.7"} {
		p.Release(ip(a))
	}
	check(t, "given back", p, "10.36.0.1-10.36.0.4, 10.36.0.8-10.36.0.10, 10.36.2.1-10.36.2.10",
		"10.36.0.5-10.36.0.7, 10.36.0.11-10.36.2.0, 10.36.2.11-10.36.255.254")

	small := pool(t, "10.36.1.0/24", "").Rest([]Range{{ip("10.36.1.31"), ip("10.36.1.54")}, {ip("10.36.1.1"), ip("10.36.1.10")}})
	checkBlock(t, "two ranges", small, "10.36.1.1-10.36.1.10, 10.36.1.31-10.36.1.54", "10.36.1.11-10.36.1.30, 10.36.1.55-10.36.1.254")
	if err := small.CheckAll(Range{ip("10.36.2.1"), ip("10.36.2.10")}); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("outside of the subnet: want %v, got %v", ErrOutOfRange, err)
	}
}

func checkBlock(tb testing.TB, what string, b Block, alloc, avail string) {
	tb.Helper()
	if got := b.AllocatedText(); got != alloc {
		tb.Errorf("%s: allocated: want %q, got %q", what, alloc, got)
	}
	if got := b.AvailableText(); got != avail {
		tb.Errorf("%s: available: want %q, got %q", what, avail, got)
	}
}

// EPG-13 to EPG-16: TestGroups walks a network through six groups, four of them with pools, their endpoints, and back.
func TestGroups(t *testing.T) {
	n := pool(t, "10.2.2.0/24", "")
	var ranges []Range
	for _, r := range [][2]string{{"5", "10"}, {"11", "30"}, {"31", "132"}, {"133", "180"}} {
		r := Range{ip("10.2.2." + r[0]), ip("10.2.2." + r[1])}
		if err := n.Rest(ranges).CheckAll(r); err != nil {
			t.Fatal(err)
		}
		ranges = append(ranges, r)
	}
	own := n.Rest(ranges)
	groups := []Block{own, n.Block(ranges[0]), n.Block(ranges[1]), own, n.Block(ranges[2]), n.Block(ranges[3])}
	checkBlock(t, "blocks", own, "10.2.2.5-10.2.2.180", "10.2.2.1-10.2.2.4, 10.2.2.181-10.2.2.254")
	want := []string{"10.2.2.1", "10.2.2.5", "10.2.2.11", "10.2.2.2", "10.2.2.31", "10.2.2.133"}
	for i, g := range groups {
		if a, err := next(n, g); err != nil || a != ip(want[i]) {
			t.Fatalf("group %d: want %s, got %s (%v)", i+1, want[i], a, err)
		}
	}
	checkBlock(t, "group 2", groups[1], "10.2.2.5", "10.2.2.6-10.2.2.10")
	checkBlock(t, "network", own, "10.2.2.1-10.2.2.2, 10.2.2.5-10.2.2.180", "10.2.2.3-10.2.2.4, 10.2.2.181-10.2.2.254")
	for i := range groups {
		if !n.Release(ip(want[i])) {
			t.Errorf("release %s: want true", want[i])
		}
		if i == 0 {
			checkBlock(t, "after the first", own, "10.2.2.2, 10.2.2.5-10.2.2.180", "10.2.2.1, 10.2.2.3-10.2.2.4, 10.2.2.181-10.2.2.254")
		}
	}
	checkBlock(t, "group 5", groups[4], "", "10.2.2.31-10.2.2.132")
	checkBlock(t, "after group 2", n.Rest(ranges[1:]), "10.2.2.11-10.2.2.180", "10.2.2.1-10.2.2.10, 10.2.2.181-10.2.2.254")
	check(t, "at the end", n, "", "10.2.2.1-10.2.2.254")
}

func TestBlockRefuses(t *testing.T) {
	p := pool(t, "10.1.1.0/24", "10.1.1.254")
	b := p.Rest([]Range{{ip("10.1.1.50"), ip("10.1.1.59")}, {ip("10.1.1.60"), ip("10.1.1.60")}})
	if err := p.Acquire(ip("10.1.1.100")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, first, last string
		want              error
	}{
		{"network address", "10.1.1.0", "10.1.1.5", ErrOutOfRange},
		{"broadcast", "10.1.1.200", "10.1.1.255", ErrOutOfRange},
		{"gateway", "10.1.1.250", "10.1.1.254", ErrReserved},
		{"another block", "10.1.1.59", "10.1.1.70", ErrReserved},
		{"a small block", "10.1.1.60", "10.1.1.60", ErrReserved},
		{"an owner", "10.1.1.99", "10.1.1.101", ErrInUse},
		{"free", "10.1.1.61", "10.1.1.99", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := b.CheckAll(Range{ip(tt.first), ip(tt.last)}); !errors.Is(err, tt.want) {
				t.Errorf("want %v, got %v", tt.want, err)
			}
		})
	}
	if b.CheckAll(Range{ip("10.1.1.9"), ip("10.1.1.8")}) == nil {
		t.Error("backwards: want an error")
	}
	for a, want := range map[string]error{"10.1.1.50": ErrReserved, "10.1.1.59": ErrReserved, "10.1.1.60": ErrReserved, "10.1.1.61": nil, "10.1.1.49": nil} {
		if err := b.Check(ip(a)); !errors.Is(err, want) {
			t.Errorf("%s: want %v, got %v", a, want, err)
		}
	}
}

// filled returns a /16 with the share of its addresses taken, at random places.
func filled(tb testing.TB, percent int) *Pool {
	p := pool(tb, "10.36.0.0/16", "10.36.0.1")
	n := 1<<16 - 3
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n)[:n*percent/100] {
		_ = p.Acquire(addr4(number4(ip("10.36.0.2")) + uint32(i)))
	}
	return p
}

func TestAllocatesNothing(t *testing.T) {
	for _, percent := range []int{0, 50, 99} {
		p := filled(t, percent)
		got := testing.AllocsPerRun(1000, func() {
			a, err := next(p, p.Rest(nil))
			if err != nil || !p.Release(a) {
				t.Fatalf("next and release: %s, %v", a, err)
			}
		})
		if got != 0 {
			t.Errorf("at %d %%: want 0 allocations, got %v", percent, got)
		}
	}
}

func TestSize(t *testing.T) {
	const n = 64
	pools := make([]*Pool, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range pools {
		pools[i] = pool(t, "10.36.0.0/16", "")
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / n; got > 10<<10 {
		t.Errorf("a /16: want at most 10 KiB, got %d bytes", got)
	}
	runtime.KeepAlive(pools)
}

func BenchmarkPool(b *testing.B) {
	for _, percent := range []int{0, 25, 50, 75, 99} {
		b.Run(fmt.Sprintf("next+release/fill=%d%%", percent), func(b *testing.B) {
			p := filled(b, percent)
			rest := p.Rest(nil)
			b.ReportAllocs()
			for b.Loop() {
				a, _ := next(p, rest)
				p.Release(a)
			}
		})
	}
	b.Run("rebuild/60000", func(b *testing.B) {
		base := number4(ip("10.36.0.1"))
		for b.Loop() {
			p := pool(b, "10.36.0.0/16", "")
			for i := range uint32(60000) {
				_ = p.Acquire(addr4(base + i))
			}
		}
	})
}

// IPAM-14: from host number to address and back.
func TestHost(t *testing.T) {
	for _, tt := range []struct {
		subnet string
		host   int
		want   string
	}{
		{"11.2.1.0/24", 5, "11.2.1.5"},
		{"10.123.16.0/22", 513, "10.123.18.1"},
		{"172.12.0.0/16", 261, "172.12.1.5"},
		{"10.0.0.0/8", 1<<24 - 2, "10.255.255.254"},
	} {
		p := pool(t, tt.subnet, "")
		if a := p.addr(tt.host - 1); a != ip(tt.want) { // number 0 of the pool is host 1
			t.Errorf("host %d of %s: want %s, got %s", tt.host, tt.subnet, tt.want, a)
		}
		if i, err := p.index(ip(tt.want)); err != nil || i+1 != tt.host {
			t.Errorf("%s in %s: want host %d, got %d (%v)", tt.want, tt.subnet, tt.host, i+1, err)
		}
	}
	for subnet, outside := range map[string]string{"10.123.16.0/22": "10.123.20.1", "10.1.1.0/24": "10.1.2.1"} {
		if _, err := pool(t, subnet, "").index(ip(outside)); !errors.Is(err, ErrOutOfRange) {
			t.Errorf("%s in %s: want %v, got %v", outside, subnet, ErrOutOfRange, err)
		}
	}
	for _, subnet := range []string{"172.12.0.0/32", "224.0.0.0/4", "2001::/64"} {
		if p, err := New(Spec{Prefix: netip.MustParsePrefix(subnet)}); err == nil {
			t.Errorf("%s: want an error, got %v", subnet, p)
		}
	}
}
