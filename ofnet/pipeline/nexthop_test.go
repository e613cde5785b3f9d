// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// ways sends a connection each from as many ports, and says to which link address each of them is sent.
func (w *wires) ways(t *testing.T, from *ofnet.Endpoint, source, to netip.Addr, connections int) []ofnet.MAC {
	t.Helper()
	out := make([]ofnet.MAC, connections)
	for i := range out {
		f := frame{kind: "tcp", flags: syn, src: from.MAC, dst: routerMAC, from: source, to: to, ttl: 9, ports: [2]uint16{uint16(1000 + 7*i), 80}}
		w.send(t, fmt.Sprintf("p%d", from.Port), f.bytes())
		w.settle(t)
		b := w.receive(t, "uplink")
		got, err := decode(b)
		if err != nil || b == nil {
			t.Fatalf("connection %d does not leave by the uplink: %v", i, err)
		}
		want := f
		want.src, want.dst, want.ttl = w.Router.MAC, got.dst, 8
		if got.String() != want.String() {
			t.Fatalf("connection %d: want %v, got %v", i, want, got)
		}
		if again := w.receive(t, "uplink"); again != nil {
			t.Fatalf("connection %d leaves twice", i)
		}
		out[i] = got.dst
	}
	return out
}

// Connections to a prefix are shared among its next hops, and those of one that is lost are the only ones that move.
func TestNextHops(t *testing.T) {
	const hops = `
router own tenant=blue port=1100 mac=02:aa:00:00:01:01 ip=50.1.1.2 ip6=fd50::2
nexthops three id=7 hops=50.1.1.200@0e:00:00:00:00:01,50.1.1.201@0e:00:00:00:00:02,50.1.1.202@0e:00:00:00:00:03,50.1.1.203
nexthops six id=8 hops=fd50::c8@0e:00:00:00:00:01,fd50::c9@0e:00:00:00:00:02
route 21.0.0.0/8 via=three
route fd77::/32 via=six
`
	l := newLab(t, moreState+hops)
	w := newWires(t, l)
	const connections = 120
	spread := func(of []ofnet.MAC) map[ofnet.MAC]int {
		n := map[ofnet.MAC]int{}
		for _, m := range of {
			n[m]++
		}
		return n
	}
	a1, to := w.Endpoints.Get("a1"), netip.MustParseAddr("21.1.1.1")
	before := w.ways(t, a1, a1.IP4, to, connections)
	if n := spread(before); len(n) != 3 {
		t.Errorf("three next hops that are resolved: %d connections are shared %v", connections, n)
	}
	if n := spread(w.ways(t, a1, a1.IP6, netip.MustParseAddr("fd77::1"), connections)); len(n) != 2 {
		t.Errorf("two next hops of IPv6: %d connections are shared %v", connections, n)
	}

	now := *l.state.NextHops.Get("three")
	lost := now.Hops[1].MAC
	now.Hops = []ofnet.NextHop{now.Hops[0], now.Hops[2], now.Hops[3]}
	was := pipeline.Default().CompileAll(l.state)
	l.state.NextHops.Set("three", &now)
	change(t, l.ovs, flow.Diff(pipeline.Default().CompileAll(l.state), was))
	after, moved := w.ways(t, a1, a1.IP4, to, connections), 0
	for i := range before {
		switch {
		case before[i] == lost && after[i] == lost:
			t.Errorf("connection %d still goes to the next hop that is lost", i)
		case before[i] == lost:
			moved++
		case before[i] != after[i]:
			t.Errorf("connection %d was on %x, which is there, and is on %x now", i, before[i], after[i])
		}
	}
	if moved == 0 || len(spread(after)) != 2 {
		t.Errorf("%d connections moved, all are shared %v now", moved, spread(after))
	}
}

// Of many prefixes that an address is in, the longest decides, whatever their order.
func TestTrace_LongestPrefix(t *testing.T) {
	var more strings.Builder
	more.WriteString("router own tenant=blue port=1100 mac=02:aa:00:00:01:01 ip=50.1.1.2 ip6=fd50::2\n")
	four, six := netip.MustParseAddr("99.85.85.85"), netip.MustParseAddr("fd99:5555:5555:5555:5555:5555:5555:5555")
	lengths := map[netip.Addr][]int{four: nil, six: {3, 16, 31, 32, 33, 48, 56, 63, 64, 65, 96, 127, 128}}
	for n := 1; n <= 32; n++ {
		lengths[four] = append(lengths[four], n)
	}
	for inside, list := range lengths {
		for _, n := range list {
			fmt.Fprintf(&more, "route %s via=50.1.%d.%d mac=0e:00:00:00:00:%02x\n", netip.PrefixFrom(inside, n).Masked(), inside.BitLen(), n, n)
		}
	}
	l := newLab(t, more.String())
	for inside, list := range lengths {
		for i, n := range list {
			probe := inside
			if i+1 < len(list) { // it leaves the prefix with the first bit that is no longer in this one
				b := inside.AsSlice()
				b[n/8] ^= 0x80 >> (n % 8)
				probe, _ = netip.AddrFromSlice(b)
			}
			packet := "in_port=1,dl_src=02:02:65:01:00:01,dl_dst=" + router + ",tcp,nw_src=10.1.0.1,nw_ttl=64,nw_dst=" + probe.String()
			want := fmt.Sprintf("src=02:aa:00:00:01:01 dst=0e:00:00:00:00:%02x ttl=63 uplink", n)
			if inside.Is6() {
				packet = "in_port=1,dl_src=02:02:65:01:00:01,dl_dst=" + router + ",tcp6,ipv6_src=fd01::1,nw_ttl=64,ipv6_dst=" + probe.String()
				want = strings.Replace(want, " ttl=63", "", 1) // its field has another name there
			}
			if got := l.trace(t, packet); got != want {
				t.Errorf("%s is in the prefixes of up to %d bits: want %s, got %s", probe, n, want, got)
			}
		}
	}
}
