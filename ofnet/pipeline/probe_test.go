// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	agent "github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// probeVNI is under which probes are sent. It is written out once more: other hosts send it.
const probeVNI = 0xff8000

// listener is an agent that takes what flows bring it, until the test ends.
func (l *lab) listener(t *testing.T, lease pipeline.Lease, flows []flow.Flow, packets chan<- packetin.Packet) *packetin.Receiver {
	t.Helper()
	r := packetin.New(packetin.Options{Socket: l.ovs.Mgmt("br0"), Flows: flows, Workers: 1, Meter: flow.Meter{ID: lease.Meter().ID, Packets: true, Rate: 1000, Burst: 1000},
		Handle: func(_ context.Context, p packetin.Packet) { packets <- p }, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("listener: %v", err)
		}
	})
	eventually(t, "the flows are in the switch", func() bool {
		return strings.Contains(l.ovs.Ofctl("dump-flows", "br0", fmt.Sprintf("cookie=%#x/-1", uint64(flows[0].Cookie))), "CONTROLLER")
	})
	return r
}

// caught is the next packet that has reached the agent.
func caught(t *testing.T, packets <-chan packetin.Packet) packetin.Packet {
	t.Helper()
	select {
	case p := <-packets:
		return p
	case <-time.After(10 * time.Second):
		t.Fatal("no packet has reached the agent")
		return packetin.Packet{}
	}
}

// The switch turns back what another host asks it, to that host and in the same way, and nothing else; what asks its agent, and what
// answers, comes to the agent while there is one.
func TestProbes(t *testing.T) {
	l := newLab(t, moreState)
	w := newWires(t, l)
	h2 := w.Hosts.Get("h2").VTEP
	own, from := pipeline.ProbeMAC(pipeline.AskSwitch, "h1", 0), pipeline.ProbeMAC(pipeline.ProbeBack, "h2", 3)
	ask := frame{kind: "raw", src: from, dst: own}
	to := func(kind pipeline.ProbeKind) frame {
		f := ask
		f.dst = pipeline.ProbeMAC(kind, "h1", 5)
		return f
	}
	tagged := func(tag int) frame {
		f := ask
		f.vlan = tag
		return f
	}
	tunnel := way{peer: h2, vni: probeVNI}
	turned := fmt.Sprintf("raw %s>%s", hex(own), hex(from))
	rows := []struct {
		name string
		in   way
		f    frame
		want string
	}{
		{"by the tunnel", tunnel, ask, fmt.Sprintf("tunnel %s vni %d: %s", h2, probeVNI, turned)},
		{"by the tunnel of a stranger", way{peer: netip.MustParseAddr("192.168.251.99"), vni: probeVNI}, ask, ""},
		{"by our own tunnel", way{peer: w.Hosts.Get("h1").VTEP, vni: probeVNI}, ask, ""},
		{"in a network's tunnel", way{peer: h2, vni: 5001}, ask, ""},
		{"in a tenant's tunnel of packets that are handed on", way{peer: h2, vni: probeVNI + 1}, ask, ""},
		{"to another host", tunnel, frame{kind: "raw", src: from, dst: pipeline.ProbeMAC(pipeline.AskSwitch, "h3", 0)}, ""},
		{"of another protocol", tunnel, frame{kind: "udp", src: from, dst: own, from: world, to: world, ttl: 9}, ""},
		{"by the trunk", way{}, tagged(11), "uplink: vlan 11 " + turned},
		{"by the trunk, of another network", way{}, tagged(15), "uplink: vlan 15 " + turned},
		{"by the trunk, of no network", way{}, tagged(99), ""},
		{"by the trunk, without a tag", way{}, ask, ""},
		{"by an endpoint", way{endpoint: w.Endpoints.Get("b1")}, ask, ""},
		{"by the host", way{host: true}, ask, ""},
		{"to an agent that does not run", tunnel, to(pipeline.AskAgent), ""},
		{"to an agent that does not run, by the trunk", way{}, frame{kind: "raw", vlan: 11, src: from, dst: pipeline.ProbeMAC(pipeline.AskAgent, "h1", 0)}, ""},
		{"an answer to one", tunnel, to(pipeline.ProbeBack), ""},
	}
	for _, row := range rows {
		if got := strings.Join(w.verdict(t, row.in, row.f), "; "); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
		if e := row.in.endpoint; e != nil {
			p := w.passed[fmt.Sprintf("p%d", e.Port)]
			p.sent--
			w.passed[fmt.Sprintf("p%d", e.Port)] = p
		}
	}
	probesOfAgent(t, w, to)
}

// probesOfAgent has the agent take what is for it, and send by tunnel and trunk.
func probesOfAgent(t *testing.T, w *wires, to func(pipeline.ProbeKind) frame) {
	t.Helper()
	packets := make(chan packetin.Packet, 8)
	agentOf := w.lab.listener(t, pipeline.LeaseProbes, pipeline.ProbeAnswers("h1"), packets)
	h2 := w.Hosts.Get("h2").VTEP
	for _, kind := range []pipeline.ProbeKind{pipeline.AskAgent, pipeline.ProbeBack} {
		w.send(t, nic, vxlan(to(kind), probeVNI, w.phy, h2, w.Hosts.Get("h1").VTEP))
		p := caught(t, packets)
		if end, segment := pipeline.ProbeOrigin(p.Match); end != h2 || segment != 0 || ofnet.MAC(p.Frame[:6]) != pipeline.ProbeMAC(kind, "h1", 5) {
			t.Errorf("kind %#x by the tunnel: from %v, network %d, %x", kind, end, segment, p.Frame)
		}
		f := to(kind)
		f.vlan = 11
		w.send(t, "uplink", f.bytes())
		p = caught(t, packets)
		if end, segment := pipeline.ProbeOrigin(p.Match); end.IsValid() || segment != 103 {
			t.Errorf("kind %#x by the trunk: from %v, network %d", kind, end, segment)
		}
	}
	sent := agent.Probe{EthSrc: pipeline.ProbeMAC(pipeline.ProbeBack, "h1", 1), EthDst: pipeline.ProbeMAC(pipeline.AskSwitch, "h2", 0), Session: 7, Seq: 8, Size: 1464}
	do, ok := pipeline.ProbeTunnel(w.State, "h2")
	if err := agentOf.Inject(do, sent.Append(nil)); err != nil || !ok {
		t.Fatal(err, ok)
	}
	inner, vni, end, ok := unwrap(w.next(t, nic))
	if got, err := agent.ParseProbe(inner); err != nil || got != sent || !ok || vni != probeVNI || end != h2 {
		t.Errorf("by the tunnel: got %+v, %v, to %v, number %#x", got, err, end, vni)
	}
	do, ok = pipeline.ProbeTrunk(w.State, "blue:vl")
	if err := agentOf.Inject(do, sent.Append(nil)); err != nil || !ok {
		t.Fatal(err, ok)
	}
	b := w.next(t, "uplink")
	if got, err := agent.ParseProbe(slices.Delete(b, 12, 16)); err != nil || got != sent {
		t.Errorf("by the trunk: got %+v, %v", got, err)
	}
	own := agent.Probe{EthSrc: pipeline.ProbeMAC(pipeline.AskSwitch, "h1", 0), EthDst: pipeline.ProbeMAC(pipeline.ProbeBack, "h1", 0), Session: 9, Size: 100}
	port, do, ok := pipeline.ProbeArrival(w.State, "blue:vl")
	if err := agentOf.Arrive(port, do, own.Append(nil)); err != nil || !ok {
		t.Fatal(err, ok)
	}
	p := caught(t, packets)
	end, segment := pipeline.ProbeOrigin(p.Match)
	if got, err := agent.ParseProbe(p.Frame); err != nil || got != own || end.IsValid() || segment != 103 || p.InPort != w.Local.Uplink {
		t.Errorf("its own, as by the trunk: got %+v, %v, from %v, network %d, port %d", got, err, end, segment, p.InPort)
	}
	for _, host := range []string{"h1", "h9", ""} {
		if _, ok := pipeline.ProbeTunnel(w.State, host); ok {
			t.Errorf("tunnel to host %q: want none", host)
		}
	}
	for _, network := range []string{"blue:vx", "blue:gone"} {
		if _, ok := pipeline.ProbeTrunk(w.State, network); ok {
			t.Errorf("network %s by the trunk: want no way", network)
		}
		if _, _, ok := pipeline.ProbeArrival(w.State, network); ok {
			t.Errorf("network %s from the trunk: want no way", network)
		}
	}
}

// A member of the trunk whose frames do not count turns nothing back: a frame whose place the network does not know comes by all of them.
// Ends of tunnels that are IPv6 are turned back as such.
func TestProbes_Ways(t *testing.T) {
	s := twoUplinks(t)
	text := func() (all string) {
		set := pipeline.Default().Compile(s, ofnet.Key{Kind: ofnet.KindProbes, Name: s.Self})
		for i := range set.Flows {
			all += set.Flows[i].String() + "\n"
		}
		return all
	}
	for _, row := range []struct {
		active  uint32
		channel []uint32
		heard   []string
	}{{0, nil, []string{"1001"}}, {1003, nil, []string{"1003"}}, {1001, []uint32{1001, 1003}, []string{"1001", "1003"}}} {
		s.Local.Active, s.Local.Channel = row.active, row.channel
		var heard []string
		for _, p := range []string{"1001", "1003"} {
			if strings.Contains(text(), "in_port="+p) {
				heard = append(heard, p)
			}
		}
		if !slices.Equal(heard, row.heard) {
			t.Errorf("active %d, channel %v: want probes from %v, got %v", row.active, row.channel, row.heard, heard)
		}
	}
	s = ofnettest.Parse(t, "self h1\nports tunnel=1000\nhost h1 vtep=fd00::1\nhost h2 vtep=fd00::2\n")
	if got := text(); !strings.Contains(got, "NXM_NX_TUN_IPV6_SRC[]->NXM_NX_TUN_IPV6_DST[]") || strings.Contains(got, "IPV4") {
		t.Errorf("over IPv6: got %s", got)
	}
	s = ofnettest.Parse(t, "self h1\nports host=1002\nhost h1\n")
	if set := pipeline.Default().Compile(s, ofnet.Key{Kind: ofnet.KindProbes, Name: "h1"}); len(set.Flows)+len(set.Meters) > 0 {
		t.Errorf("a host without tunnel and trunk: want nothing, got %v", set)
	}
}
