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

func check(tb testing.TB, what string, p *Pool, alloc, avail string) {
	tb.Helper()
	if got := p.AllocatedText(); got != alloc {
		tb.Errorf("%s: allocated: want %q, got %q", what, alloc, got)
	}
	if got := p.AvailableText(); got != avail {
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
			if p.InUse() != 0 {
				t.Errorf("in use: want 0, got %d", p.InUse())
			}
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
				t.Errorf("want an error, got %s", p)
			}
		})
	}
}

// IPAM-09: freed addresses leave gaps.
func TestTakeAndRelease(t *testing.T) {
	p := pool(t, "10.1.1.0/24", "10.1.1.254")
	for i := 1; i <= 7; i++ {
		got, err := p.Next()
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
		if err := p.Take(ip(a)); !errors.Is(err, want) {
			t.Errorf("take %s: want %v, got %v", a, want, err)
		}
	}
	for _, a := range []string{"10.1.1.254", "10.1.1.0", "10.1.1.200", "10.9.9.9", "::1"} {
		if p.Release(ip(a)) {
			t.Errorf("release %s: want false", a)
		}
	}
	if p.InUse() != 5 || p.Available() != 248 {
		t.Errorf("want 5 in use and 248 available, got %d and %d", p.InUse(), p.Available())
	}
	if err := p.Take(netip.Addr{}); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("take of no address: want %v, got %v", ErrOutOfRange, err)
	}
}

func TestExhaustion(t *testing.T) {
	p := pool(t, "10.1.1.0/30", "")
	for range 2 {
		if _, err := p.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Next(); !errors.Is(err, ErrExhausted) {
		t.Errorf("want %v, got %v", ErrExhausted, err)
	}
	p.Release(ip("10.1.1.2"))
	if a, err := p.Next(); err != nil || a != ip("10.1.1.2") {
		t.Errorf("want 10.1.1.2 again, got %s (%v)", a, err)
	}
}

// IPAM-17, IPAM-18: ranges taken, and a part given back; a range outside of the subnet is none.
func TestListOfRanges(t *testing.T) {
	p := pool(t, "10.36.0.0/16", "")
	for _, r := range [][2]string{{"10.36.0.1", "10.36.0.10"}, {"10.36.2.1", "10.36.2.10"}} {
		for a := ip(r[0]); a.Compare(ip(r[1])) <= 0; a = a.Next() {
			if err := p.Take(a); err != nil {
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

	small := pool(t, "10.36.1.0/24", "")
	carve(t, small, "10.36.1.1", "10.36.1.10")
	carve(t, small, "10.36.1.31", "10.36.1.54")
	check(t, "two ranges", small, "10.36.1.1-10.36.1.10, 10.36.1.31-10.36.1.54", "10.36.1.11-10.36.1.30, 10.36.1.55-10.36.1.254")
	if _, err := small.Carve(ip("10.36.2.1"), ip("10.36.2.10")); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("outside of the subnet: want %v, got %v", ErrOutOfRange, err)
	}
}

func carve(tb testing.TB, p *Pool, first, last string) *Pool {
	tb.Helper()
	b, err := p.Carve(ip(first), ip(last))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// EPG-13 to EPG-16: TestGroups walks a network through six groups, four of them with pools, their endpoints, and back.
func TestGroups(t *testing.T) {
	n := pool(t, "10.2.2.0/24", "")
	groups := []*Pool{
		n, carve(t, n, "10.2.2.5", "10.2.2.10"), carve(t, n, "10.2.2.11", "10.2.2.30"), n,
		carve(t, n, "10.2.2.31", "10.2.2.132"), carve(t, n, "10.2.2.133", "10.2.2.180"),
	}
	check(t, "carved", n, "10.2.2.5-10.2.2.180", "10.2.2.1-10.2.2.4, 10.2.2.181-10.2.2.254")
	want := []string{"10.2.2.1", "10.2.2.5", "10.2.2.11", "10.2.2.2", "10.2.2.31", "10.2.2.133"}
	for i, g := range groups {
		if a, err := g.Next(); err != nil || a != ip(want[i]) {
			t.Fatalf("group %d: want %s, got %s (%v)", i+1, want[i], a, err)
		}
	}
	check(t, "group 2", groups[1], "10.2.2.5", "10.2.2.6-10.2.2.10")
	check(t, "network", n, "10.2.2.1-10.2.2.2, 10.2.2.5-10.2.2.180", "10.2.2.3-10.2.2.4, 10.2.2.181-10.2.2.254")
	if n.InUse() != 2 {
		t.Errorf("in use: want 2, got %d", n.InUse())
	}
	if err := n.Uncarve(groups[1]); !errors.Is(err, ErrInUse) {
		t.Errorf("uncarve a pool in use: want %v, got %v", ErrInUse, err)
	}
	for i, g := range groups {
		if !g.Release(ip(want[i])) {
			t.Errorf("release %s: want true", want[i])
		}
		if i == 0 {
			check(t, "after the first", n, "10.2.2.2, 10.2.2.5-10.2.2.180", "10.2.2.1, 10.2.2.3-10.2.2.4, 10.2.2.181-10.2.2.254")
		}
	}
	check(t, "group 5", groups[4], "", "10.2.2.31-10.2.2.132")
	for _, g := range []*Pool{groups[1], groups[2], groups[4], groups[5]} {
		if err := n.Uncarve(g); err != nil {
			t.Error(err)
		}
		if g == groups[1] {
			check(t, "after group 2", n, "10.2.2.11-10.2.2.180", "10.2.2.1-10.2.2.10, 10.2.2.181-10.2.2.254")
		}
	}
	check(t, "at the end", n, "", "10.2.2.1-10.2.2.254")
	if err := n.Uncarve(groups[1]); err == nil {
		t.Error("uncarve twice: want an error")
	}
}

func TestCarveRefuses(t *testing.T) {
	p := pool(t, "10.1.1.0/24", "10.1.1.254")
	carve(t, p, "10.1.1.50", "10.1.1.59")
	carve(t, p, "10.1.1.60", "10.1.1.60")
	if err := p.Take(ip("10.1.1.100")); err != nil {
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
	}
	before := p.AvailableText()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := p.Carve(ip(tt.first), ip(tt.last)); !errors.Is(err, tt.want) {
				t.Errorf("want %v, got %v", tt.want, err)
			}
		})
	}
	if _, err := p.Carve(ip("10.1.1.9"), ip("10.1.1.8")); err == nil {
		t.Error("backwards: want an error")
	}
	if p.AvailableText() != before {
		t.Errorf("refusals changed the pool: want %s, got %s", before, p.AvailableText())
	}
	for a, want := range map[string]error{"10.1.1.50": ErrReserved, "10.1.1.59": ErrReserved, "10.1.1.60": ErrReserved, "10.1.1.61": nil, "10.1.1.49": nil} {
		if err := p.Take(ip(a)); !errors.Is(err, want) {
			t.Errorf("take %s: want %v, got %v", a, want, err)
		}
	}
	if p.Release(ip("10.1.1.55")) {
		t.Error("release inside a block: want false")
	}
}

// filled returns a /16 with the share of its addresses taken, at random places.
func filled(tb testing.TB, percent int) *Pool {
	p := pool(tb, "10.36.0.0/16", "10.36.0.1")
	n := p.Available()
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n)[:n*percent/100] {
		_ = p.Take(addr4(number4(ip("10.36.0.1")) + uint32(i)))
	}
	return p
}

func TestAllocatesNothing(t *testing.T) {
	for _, percent := range []int{0, 50, 99} {
		p := filled(t, percent)
		got := testing.AllocsPerRun(1000, func() {
			a, err := p.Next()
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
			b.ReportAllocs()
			for b.Loop() {
				a, _ := p.Next()
				p.Release(a)
			}
		})
	}
	b.Run("rebuild/60000", func(b *testing.B) {
		base := number4(ip("10.36.0.1"))
		for b.Loop() {
			p := pool(b, "10.36.0.0/16", "")
			for i := range uint32(60000) {
				_ = p.Take(addr4(base + i))
			}
		}
	})
}
