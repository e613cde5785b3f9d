// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// peer is a session with 50.1.1.200.
func peer(state, reason string) bgp.Status {
	var p bgp.PeerStatus
	p.Conf.NeighborAddress, p.Conf.PeerAS = "50.1.1.200", 600
	p.State.SessionState, p.State.Reason = state, reason
	return bgp.Status{Peers: []bgp.PeerStatus{p}, Own: []string{"10.1.1.2/32"}}
}

// The path beyond the switch is described by the kernel and the BGP sessions.
func TestBeyond(t *testing.T) {
	ask := model.TraceRequest{From: "endpoint/web", Packet: packetTo("tcp", "20.1.1.1")}
	for _, r := range []struct {
		name     string
		to       string
		onward   link.NextHop
		err      error
		router   bgp.Status
		norouter error
		verdict  model.Verdict
		text     []string
	}{
		{"routed", "host", link.NextHop{Dev: "eth0", Via: netip.MustParseAddr("192.0.2.1")}, nil, bgp.Status{}, bgp.ErrNoRouter, "allowed", []string{"which routes it on by eth0 to 192.0.2.1"}},
		{"on the link", "host", link.NextHop{Dev: "eth0"}, nil, bgp.Status{}, bgp.ErrNoRouter, "allowed", []string{"which routes it on by eth0"}},
		{"its own", "host", link.NextHop{Own: true}, nil, bgp.Status{}, bgp.ErrNoRouter, "allowed", []string{"which has that address itself"}},
		{"no route", "host", link.NextHop{Lost: "has no route", Try: "give it one"}, nil, bgp.Status{}, bgp.ErrNoRouter, "denied", []string{"which has no route"}},
		{"no route, and a session that is rejected", "host", link.NextHop{Lost: "has no route"}, nil, peer("active", "bad peer AS"), nil, "denied",
			[]string{"which has no route, and no BGP neighbour has announced a way: 50.1.1.200 AS 600 is active (bad peer AS)"}},
		{"the kernel is silent", "host", link.NextHop{}, errors.New("no answer"), bgp.Status{}, bgp.ErrNoRouter, "unknown", []string{"no answer"}},
		{"a router with a session", "router/50.1.1.200", link.NextHop{}, nil, peer("established", ""), nil, "allowed", []string{"established"}},
		{"a next hop behind the peer", "router/50.1.1.9", link.NextHop{}, nil, peer("established", ""), nil, "allowed", []string{"points"}},
		{"a route that is kept", "router/50.1.1.200", link.NextHop{}, nil, peer("active", "hold timer expired"), nil, "unknown", []string{"kept", "hold timer expired"}},
		{"no router any more", "router/50.1.1.200", link.NextHop{}, nil, bgp.Status{}, bgp.ErrNoRouter, "unknown", []string{"no BGP router"}},
		{"within Contiv", "host/h2", link.NextHop{Lost: "is not asked"}, nil, bgp.Status{}, nil, "", nil},
	} {
		o := Options{Forward: &tracing{}, NextHop: func(netip.Addr, netip.Addr) (link.NextHop, error) { return r.onward, r.err },
			Closed: func(to netip.AddrPort, _ uint8, own bool) bool { return own && to.Port() == 22 },
			Router: func() (bgp.Status, error) { return r.router, r.norouter }}
		out := model.Trace{After: ask.Packet, Outputs: []model.TraceExit{{To: r.to}}}
		o.followOutputs(&ask, &out)
		x := out.Outputs[0]
		if x.Verdict != r.verdict || x.Verdict == model.VerdictDenied && x.Try != r.onward.Try {
			t.Errorf("%s: want %s, got %+v", r.name, r.verdict, x)
		}
		for _, want := range r.text {
			if !strings.Contains(x.Text, want) {
				t.Errorf("%s: want %q, got %q", r.name, want, x.Text)
			}
		}
	}
}

// Outputs to the host's own ports that are closed to containers are reported.
func TestBeyond_Closed(t *testing.T) {
	o := Options{Forward: &tracing{}, NextHop: func(netip.Addr, netip.Addr) (link.NextHop, error) { return link.NextHop{Own: true}, nil },
		Closed: func(to netip.AddrPort, protocol uint8, own bool) bool { return own && protocol == 6 && to.Port() == 22 },
		Router: func() (bgp.Status, error) { return bgp.Status{}, bgp.ErrNoRouter }}
	for port, want := range map[int]model.Verdict{22: "denied", 80: "allowed"} {
		ask := model.TraceRequest{From: "endpoint/web", Packet: packetTo("tcp", "10.254.1.1")}
		ask.Packet.DstPort = port
		out := model.Trace{After: ask.Packet, Outputs: []model.TraceExit{{To: "host"}}}
		if o.followOutputs(&ask, &out); out.Outputs[0].Verdict != want || want == "denied" && out.Outputs[0].Try != "netplugin --host-ports tcp/22 opens it to all containers" {
			t.Errorf("port %d: want %s, got %+v", port, want, out.Outputs[0])
		}
	}
}

// An external router sends a host packets for its announced prefixes, and an output to a router has that router's address.
func TestTrace_Router(t *testing.T) {
	s := state()
	s.Router = &ofnet.Router{Tenant: "t", Port: 1100, MAC: ofnet.MAC{2, 2, 50, 1, 1, 1}, Addr: netip.MustParseAddr("50.1.1.1")}
	s.NextHops.Set("50.1.1.200", &ofnet.NextHops{Name: "50.1.1.200", ID: 1, Hops: []ofnet.NextHop{{Addr: netip.MustParseAddr("50.1.1.200"), MAC: ofnet.MAC{14, 0, 0, 0, 0, 1}}}})
	way := &vswitchd.Trace{Ports: []uint32{1001}, End: vswitchd.Packet{"dl_dst": "0e:00:00:00:00:01", "vlan_tci": "0x0000"}}
	if got := egressPorts(s, way); len(got) != 1 || got[0].To != "router/50.1.1.200" {
		t.Errorf("untagged to the next hop: got %+v", got)
	}
	ask := model.TraceRequest{From: "router", Packet: packetTo("tcp", "10.1.1.2")}
	if got, err := packetText(s, &ask); err != nil || !strings.HasPrefix(got, "in_port=1001,tcp,") || !strings.Contains(got, ",dl_dst=02:02:32:01:01:01,") {
		t.Errorf("from a router: want it untagged for the interface, got %q, %v", got, err)
	}
	if _, err := packetText(state(), &ask); err == nil {
		t.Error("from a router to a host without one: want an error")
	}
	for _, r := range []struct {
		status bgp.Status
		dst    string
		fails  string
	}{
		{peer("established", ""), "10.1.1.2", ""},
		{peer("established", ""), "10.1.1.3", "does not announce"},
		{peer("active", "bad peer AS"), "10.1.1.2", "50.1.1.200 AS 600 is active (bad peer AS)"},
	} {
		ask.Packet.Dst = r.dst
		o := Options{Router: func() (bgp.Status, error) { return r.status, nil }}
		if err := o.handed(&ask); (err == nil) != (r.fails == "") || err != nil && !strings.Contains(err.Error(), r.fails) {
			t.Errorf("%s: want an error with %q, got %v", r.dst, r.fails, err)
		}
	}
}

// known is a switch that should have one flow.
type known struct {
	agent
	flow flow.Flow
}

func (k *known) Wanted(at flow.Key) (flow.Flow, bool) { return k.flow, at == k.flow.Key }

// A flow that stands elsewhere, bears another cookie or does something else than ours is not ours.
func TestTraceStep_Foreign(t *testing.T) {
	p := pipeline.Default()
	step := vswitchd.Step{Table: 32, Priority: 100, Cookie: 7, Match: "dl_dst=02:02:0a:01:01:01", Actions: []string{"goto_table:40"}}
	ours, err := step.Flow(p.Tables())
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Forward: &known{flow: ours}, Pipeline: p}
	words := p.NewGlossary(state())
	for name, r := range map[string]struct {
		change  func(s *vswitchd.Step)
		foreign bool
	}{
		"ours":            {func(*vswitchd.Step) {}, false},
		"another place":   {func(s *vswitchd.Step) { s.Priority = 101 }, true},
		"another cookie":  {func(s *vswitchd.Step) { s.Cookie = 0 }, true},
		"something else":  {func(s *vswitchd.Step) { s.Actions = []string{"drop"} }, true},
		"cannot be read":  {func(s *vswitchd.Step) { s.Match = "ct_gizmo=1" }, true},
		"held by a lease": {func(s *vswitchd.Step) { s.Cookie, s.Priority = flow.NewCookie(flow.Leased, 0, 1), 9 }, false},
		"another table":   {func(s *vswitchd.Step) { s.Table = 77 }, true},
		"a miss":          {func(s *vswitchd.Step) { s.Missing, s.Match, s.Actions = true, "", nil }, false},
	} {
		s := step
		r.change(&s)
		got := o.traceStep(&s, ofnet.Key{Kind: ofnet.KindEndpoint, Name: "web"}, words)
		if got.Foreign != r.foreign || r.foreign && (got.Flow != s.Text() || got.Owner != "") || got.Table == "" {
			t.Errorf("%s: want foreign %v, got %+v", name, r.foreign, got)
		}
		if lost := s.Missing || s.Cookie.Feature() == flow.Leased; (got.Means != "") != lost {
			t.Errorf("%s: want words for what ends because no flow is about it, and for nothing else, got %q", name, got.Means)
		}
	}
}
