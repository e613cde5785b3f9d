// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

func glossary() *Glossary {
	s := ofnet.NewState("h1")
	s.Local = ofnet.Ports{Tunnel: 1000, Uplink: 1001}
	s.Tenants.Set("acme", &ofnet.Tenant{Name: "acme", ID: 7})
	s.Segments.Set("blue:acme", &ofnet.Segment{Name: "blue:acme", Tenant: "acme", ID: 0x10001, Encap: ofnet.VXLAN, Tag: 5001})
	s.Groups.Set("acme:web", &ofnet.Group{Name: "acme:web", ID: 3})
	ofnettest.SetRule(s, "acme:web", &ofnet.Rule{ID: ofnettest.RuleID("acme:web", "r1")})
	s.Hosts.Set("h2", &ofnet.Host{Label: "h2", VTEP: netip.MustParseAddr("192.0.2.2")})
	s.Endpoints.Set("blue:acme-c1", &ofnet.Endpoint{ID: "blue:acme-c1", Port: 5})
	return Default().NewGlossary(s)
}

func TestGlossaryMatch(t *testing.T) {
	g := glossary()
	rows := []struct {
		name string
		in   flow.Match
		want string
	}{
		{"nothing", flow.Match{}, "any packet"},
		{"a port", flow.NewMatch(flow.Eq(flow.InPort, 5)), "from endpoint blue:acme-c1"},
		{"the uplink", flow.NewMatch(flow.Eq(flow.InPort, 1001)), "from the uplink"},
		{"an unknown port", flow.NewMatch(flow.Eq(flow.InPort, 9)), "from port 9"},
		{"flags", flow.NewMatch(has(bitEndpoint), hasNot(bitFabric)), "from a local endpoint, not from the fabric"},
		{"names", flow.NewMatch(flow.Eq(regNetwork, 0x10001), flow.EqMask(regTenant, 7, 0xffff), flow.Eq(regSrcGroup, 3), flow.Eq(regDstGroup, 0)),
			"network blue:acme, tenant acme, from group acme:web, to group no group"},
		{"a VNI", flow.NewMatch(flow.Eq(flow.TunID, 5001)), "VNI 5001 of blue:acme"},
		{"a host", flow.NewMatch(flow.EqAddr(flow.TunSrc, netip.MustParseAddr("192.0.2.2"))), "from host h2"},
		{"an address", flow.NewMatch(flow.IP(), flow.EqAddr(flow.IPDst, netip.MustParseAddr("10.1.1.2"))), "ip, to 10.1.1.2"},
		{"a class", flow.NewMatch(inClass(srcClass, 5)), "sender of class 5"},
		{"isolation", flow.NewMatch(flow.EqBit(flow.Metadata, isolatedBit(dstClass, ofnet.In), true)), "receiver isolated in what it receives"},
		{"no name for it", flow.NewMatch(flow.TCP(), flow.Eq(flow.TCPDst, 80)), "tcp, tp_dst=80"},
	}
	for _, r := range rows {
		if got := g.Match(r.in); got != r.want {
			t.Errorf("%s (%s): want %q, got %q", r.name, r.in, r.want, got)
		}
	}
}

// The words for groups are their purpose.
func TestGlossaryGroups(t *testing.T) {
	g := glossary()
	for id, want := range map[uint32]string{uplinkGroup: "out by an uplink that is live", nextHopGroup | 7: "on to one of several next hops", spread | 5: "on to a backend of the service",
		floodElsewhere | 0x10001: "a copy to each other host of network blue:acme", floodHere | 0x10001: "a copy to each receiver here of network blue:acme",
		floodPart + 3<<24 | 0x10001: "a copy to some receivers here of network blue:acme", floodPartElsewhere + 3<<24 | 0x10001: "a copy to some other hosts of network blue:acme",
		floodElsewhere | 9: "a copy to each other host of network number 9", 0x06 << 24: "group 100663296"} {
		if got := g.Actions(flow.Do(flow.ToGroup(id))); got != want {
			t.Errorf("group %#x: want %q, got %q", id, want, got)
		}
	}
}

// The words for meters are the traffic that they limit.
func TestGlossaryMeters(t *testing.T) {
	g := glossary()
	for id, want := range map[uint32]string{5: "limit on what endpoint blue:acme-c1 sends", receiveMeters | 5: "limit on what endpoint blue:acme-c1 receives",
		99: "limit on what port 99 sends", flow.LeasedMeters + 1: "limit on what goes to the agent"} {
		if got := g.Meter(id); got != want {
			t.Errorf("meter %d: want %q, got %q", id, want, got)
		}
	}
}

func TestGlossaryActions(t *testing.T) {
	g := glossary()
	rows := []struct {
		name string
		in   flow.Actions
		want string
	}{
		{"drop", flow.Actions{}, "drop"},
		{"continue", flow.Do(flow.GotoTable(tSource)), "continue at source"},
		{"an entry", flow.Do(append(enter(bitEndpoint, &ofnet.Segment{ID: 0x10001}, &ofnet.Tenant{ID: 7}), load(regSrcGroup, 3), flow.GotoTable(tSource))...),
			"from a local endpoint, network blue:acme, tenant acme, sender's group acme:web, continue at source"},
		{"a verdict", flow.Do(load(regRuleIn, uint32(flow.Owner(ofnet.Key{Kind: ofnet.KindRule, Name: "acme:web:web:r1"}))), flow.GotoTable(tCommit)),
			"decided by rule acme:web:r1, continue at commit"},
		{"a tunnel", flow.Do(append(tunnelTo(nil, &ofnet.Segment{Tag: 5001}, netip.MustParseAddr("192.0.2.2")), load(regOut, 1000), flow.GotoTable(tPolicyOut))...),
			"VNI 5001, tunnel to host h2, way out is the tunnel port, continue at policy_out"},
		{"classes", flow.Do(loadClass(loadClass(nil, srcClass, 5, ofnet.Both), dstClass, 6, 0)...),
			"sender isolated in what it receives, sender isolated in what it sends, sender of class 5, receiver of class 6"},
		{"out", flow.Do(flow.Output(5)), "out to endpoint blue:acme-c1"},
		{"out by register", flow.Do(flow.OutputField(flow.All(regOut))), "out where the lookup said"},
	}
	for _, r := range rows {
		if got := g.Actions(r.in); got != r.want {
			t.Errorf("%s (%s): want %q, got %q", r.name, r.in, r.want, got)
		}
	}
}

// All flows of the pipeline have a description, without numbers for registers that have a name.
func TestGlossaryOfEverything(t *testing.T) {
	p := Default()
	s := ofnet.NewState("h1")
	g := p.NewGlossary(s)
	for _, f := range p.CompileAll(s).Flows {
		if g.Match(f.Match) == "" || g.Actions(f.Actions) == "" || strings.Contains(g.Match(f.Match), "reg0=") {
			t.Errorf("%s: match %q, actions %q", f, g.Match(f.Match), g.Actions(f.Actions))
		}
	}
}
