// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	agent "github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// An agent gets the headers of what rules refuse, with the rule's number, and of what no flow takes; what passes does not come to it, and
// what was refused stays so. The tracker says by what number a connection was admitted.
func TestObservations(t *testing.T) {
	l := newLab(t, moreState+openState)
	had := pipeline.Default().CompileAll(l.state)
	ofnettest.CopyRules(l.state, ofnettest.Parse(t, openState+`
rule shut group=open:db in deny priority=10 proto=tcp ports=81
rule web group=open:db in allow priority=20 proto=tcp ports=80
rule never group=open:web out deny priority=10 proto=udp
rule like group=open:web out deny priority=10 proto=tcp ports=82,90-99
rule some group=open:web out allow priority=5 proto=tcp ports=1-1000
self h1`))
	l.state.Judgements.Set("open", &ofnet.Judgement{Tenant: "open", Sum: 5})
	l.state.SetClassPolicy(&ofnet.ClassPolicy{Name: "admin", Direction: ofnet.In, Stage: ofnet.StageAdmin, Priority: 7,
		Rules: []ofnet.ClassRule{
			{Place: 1, Action: ofnet.Deny, Subjects: []uint32{9}, Anyone: true, Ports: onTCP(83)},
			{Place: 2, Action: ofnet.Accept, Subjects: []uint32{9}, Anyone: true, Ports: onTCP(84)}}})
	db := *l.state.Endpoints.Get("db1")
	db.Class = 9
	l.state.Endpoints.Set("db1", &db)
	alone := *l.state.Endpoints.Get("other")
	alone.Isolated = ofnet.In
	l.state.Endpoints.Set("other", &alone)
	change(t, l.ovs, flow.Diff(pipeline.Default().CompileAll(l.state), had))
	w := newWires(t, l)
	packets := make(chan packetin.Packet, 8)
	l.listener(t, pipeline.LeaseConnections, pipeline.Observations(), packets)

	web, p := w.Endpoints.Get("web1"), pipeline.Default()
	rule := func(group, id string) string {
		for r := range w.AttachedRules() {
			if r.By.Group() == group && r.ID.Rule == id {
				return r.Key().String()
			}
		}
		t.Fatalf("no rule %s of %s", id, group)
		return ""
	}
	tcp := func(to *ofnet.Endpoint, port uint16) frame {
		return frame{kind: "tcp", flags: syn, ports: [2]uint16{40000 + port, port}, ttl: 64, src: web.MAC, dst: to.MAC, from: web.IP4, to: to.IP4}
	}
	gone := ofnet.Endpoint{MAC: ofnet.MAC{2, 9, 9, 9, 9, 9}, IP4: netip.MustParseAddr("10.20.0.99")}
	udp := tcp(&db, 53)
	udp.kind = "udp"
	for _, row := range []struct {
		name string
		f    frame
		want string // who refuses it, or why it is dropped; "": it passes
	}{
		{"the receiver's rule", tcp(&db, 81), rule("open:db", "shut")},
		{"the sender's rule", udp, rule("open:web", "never")},
		{"a conjunction", tcp(&db, 95), rule("open:web", "like")},
		{"a policy", tcp(&db, 83), "classpolicy/admin"},
		{"isolation", tcp(&alone, 80), "no network policy admits it"},
		{"admitted", tcp(&db, 80), ""},
		{"admitted by a policy", tcp(&db, 84), ""},
		{"no such address", tcp(&gone, 80), "no endpoint on the network has the destination's Ethernet address"},
	} {
		out := w.verdict(t, way{endpoint: web}, row.f)
		if row.want == "" {
			select {
			case in := <-packets:
				t.Errorf("%s: want nothing sent to the agent, got %x", row.name, in.Frame)
			default:
			}
			if len(out) != 1 {
				t.Errorf("%s: it does not pass", row.name)
			}
			continue
		}
		in := caught(t, packets)
		e := p.Ended(in.Table, in.Match)
		by := p.Decider(w.State, "open:web", ofnet.Out, e.Out)
		if e.In != 0 {
			by = p.Decider(w.State, "open:db", ofnet.In, e.In)
		}
		got := e.Why + by.Text
		if by.Key != (ofnet.Key{}) {
			got += by.Key.String()
		}
		h, err := agent.ParseHeaders(in.Frame)
		if err != nil || got != row.want || e.Refused == (e.Why != "") || e.Refused != by.Deny || e.Tenant != 3 || e.Segment != 300 || len(out) > 0 {
			t.Errorf("%s: want it to end by %q, got %q: %+v, %+v, %v continued; %v", row.name, row.want, got, e, by, out, err)
		}
		if h.Src != web.IP4 || h.Dst != row.f.to || h.SrcPort != row.f.ports[0] || h.DstPort != row.f.ports[1] {
			t.Errorf("%s: got the headers %+v", row.name, h)
		}
	}
	spoof := tcp(&db, 80)
	spoof.from = db.IP4
	out := w.verdict(t, way{endpoint: web}, spoof)
	at := fmt.Sprintf("p%d", web.Port)
	passed := w.passed[at]
	passed.sent-- // it is not the endpoint's
	w.passed[at] = passed
	in := caught(t, packets)
	if e := p.Ended(in.Table, in.Match); len(out) > 0 || e.Refused || e.Sender != web.Port || e.Tenant != 3 || e.Why != "the container may not send from that address" {
		t.Errorf("another's address: got %+v, and %v continued", e, out)
	}
	admitted := map[uint16]string{80: rule("open:db", "web"), 84: "classpolicy/admin"}
	err := vswitchd.ParseConnections(l.ovs.Appctl("dpctl/dump-conntrack", "-s", l.ovs.Datapath()+"@ovs-"+l.ovs.Datapath()), 100, func(e *vswitchd.Connection) {
		want := admitted[e.Orig.DstPort]
		delete(admitted, e.Orig.DstPort)
		out, in := p.Decider(w.State, "open:web", ofnet.Out, uint32(e.Label[0])), p.Decider(w.State, "open:db", ofnet.In, uint32(e.Label[0]>>32))
		if out.Key.String() != rule("open:web", "some") || in.Key.String() != want || want == "" || out.Deny || e.Zone != 3 || e.To != nil {
			t.Errorf("connection %+v: admitted by %+v and %+v", e, out, in)
		}
	})
	if err != nil || len(admitted) > 0 {
		t.Errorf("want these connections, too: %v, %v", admitted, err)
	}
}

// onTCP is one port.
func onTCP(port uint16) []ofnet.ProtocolPorts {
	return []ofnet.ProtocolPorts{{Protocol: ofnet.ProtocolTCP, PortRange: ofnet.PortRange{First: port, Last: port}}}
}
