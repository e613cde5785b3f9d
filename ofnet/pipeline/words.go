// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Glossary describes flows in words: the meaning of registers, ports and tunnel addresses in a State. It is a copy: later changes of the
// State do not change it.
type Glossary struct {
	names     [nameKinds]map[uint64]string
	hosts     map[netip.Addr]string
	registers map[flow.Field]register
	flags     map[int]flagBit
	tables    flow.Tables
}

// NewGlossary reads the names in s.
func (p *Pipeline) NewGlossary(s *ofnet.State) *Glossary {
	g := &Glossary{hosts: map[netip.Addr]string{}, registers: map[flow.Field]register{}, flags: flags(), tables: p.tables}
	for _, r := range registers() {
		g.registers[r.field] = r
	}
	g.registers[flow.InPort] = register{field: flow.InPort, asked: "from ", names: portNames}
	for k := range g.names {
		g.names[k] = map[uint64]string{}
	}
	g.names[groupNames][0] = "no group"
	for name, n := range s.Segments.All() {
		g.names[networkNames][uint64(n.ID)] = name
		if n.Encap == ofnet.VXLAN {
			g.names[vniNames][uint64(n.Tag)] = name
		}
	}
	for name, t := range s.Tenants.All() {
		g.names[tenantNames][uint64(t.ID)] = name
	}
	for name, x := range s.Groups.All() {
		g.names[groupNames][uint64(x.ID)] = name
	}
	for r := range s.AttachedRules() {
		g.names[ruleNames][uint64(numberOf(r.Key()))] = r.ID.String()
	}
	for p := range s.ClassPolicies.Values() {
		g.names[ruleNames][uint64(numberOf(p.Key()))] = p.Name
	}
	g.names[ruleNames][numberIsolated], g.names[ruleNames][numberGuard] = "of isolation", "of a closed group"
	g.names[ruleNames][numberCrowded] = "of a priority with too many rules"
	for name, h := range s.Hosts.All() {
		if h.VTEP.IsValid() {
			g.hosts[h.VTEP] = name
			g.names[endNames][uint64(endNumber(h.VTEP))] = "host " + name
		}
	}
	g.names[endNames][0] = "that host"
	g.readPorts(s)
	return g
}

func (g *Glossary) readPorts(s *ofnet.State) {
	ports := g.names[portNames]
	for id, e := range s.Endpoints.All() {
		if e.Port != 0 {
			ports[uint64(e.Port)] = "endpoint " + id
		}
	}
	reserve := "an uplink in reserve"
	if len(s.Local.Channel) > 0 {
		reserve = "another uplink"
	}
	for _, p := range s.Local.Backup {
		ports[uint64(p)] = reserve
	}
	for n, what := range map[uint32]string{s.Local.Tunnel: "the tunnel port", s.Local.Uplink: "the uplink", s.Local.Host: "the host port"} {
		if n != 0 {
			ports[uint64(n)] = what
		}
	}
	if s.Router != nil {
		ports[uint64(s.Router.Port)] = "the router's own port"
	}
}

// Lost explains why a packet that matches no flow of a table is dropped; "" if the reason is unknown, or it is not dropped.
func (g *Glossary) Lost(t flow.TableID) string { return g.tables.Table(t).Lost }

// Match describes the match of a flow. Fields without a name are printed as by ovs-ofctl.
func (g *Glossary) Match(m flow.Match) string {
	if m.IsZero() {
		return "any packet"
	}
	var words []string
	for _, p := range m.Parts() {
		words = append(words, g.part(&p))
	}
	return strings.Join(words, ", ")
}

func (g *Glossary) part(p *flow.Part) string {
	if r, ok := g.registers[p.Field]; ok && r.asked != "" {
		return r.asked + g.named(r.names, p.Value)
	}
	_, value, _ := strings.Cut(p.Text, "=")
	switch p.Field {
	case regFlags:
		return g.flagged(p.Value, p.Mask)
	case regClasses:
		return classWords(p.Value, p.Mask)
	case flow.TunID:
		return "VNI " + strconv.FormatUint(p.Value, 10) + " of " + g.named(vniNames, p.Value)
	case flow.TunSrc:
		if g.hosts[p.Addr] != "" {
			return "from host " + g.hosts[p.Addr]
		}
	case flow.IPSrc, flow.IPv6Src, flow.EthSrc:
		return "from " + value
	case flow.IPDst, flow.IPv6Dst, flow.EthDst:
		return "to " + value
	case flow.ARPTPA, flow.NDTarget:
		return "asking for " + value
	case flow.ARPSPA:
		return "asked by " + value
	}
	return p.Text
}

// Actions describes the actions of a flow.
func (g *Glossary) Actions(a flow.Actions) string {
	if a.IsDrop() {
		return "drop"
	}
	var words []string
	for _, step := range a.Steps(g.tables) {
		if w := g.step(&step); w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}

func (g *Glossary) step(s *flow.Step) string {
	switch s.Verb {
	case flow.Write:
		return g.written(s)
	case flow.Goto:
		return "continue at " + cmp.Or(g.tables.Name(flow.TableID(s.Value)), strconv.FormatUint(s.Value, 10))
	case flow.OutputTo:
		switch {
		case s.Value == uint64(flow.PortInPort):
			return "back to where it came from"
		case s.Value < uint64(flow.PortInPort):
			return "out to " + g.named(portNames, s.Value)
		}
	case flow.OutputFrom:
		if s.To.Field == regOut {
			return "out where the lookup said"
		}
	case flow.GroupTo:
		return g.Group(uint32(s.Value))
	case flow.MeterTo:
		return g.Meter(uint32(s.Value))
	case flow.Pop:
		return "take the tag off"
	case flow.Push:
		return "put a tag on"
	case flow.Decrement:
		return "decrement TTL"
	}
	return s.Text
}

// written describes the value written to a field.
func (g *Glossary) written(s *flow.Step) string {
	if r, ok := g.registers[s.To.Field]; ok && r.given != "" {
		if s.To.First != 0 {
			return "" // the hairpin zone follows from the tenant
		}
		return r.given + g.named(r.names, s.Value)
	}
	switch s.To.Field {
	case regClasses:
		return classWords(s.Value<<s.To.First, (1<<s.To.N-1)<<s.To.First)
	case regFlags:
		if f, ok := g.flags[s.To.First]; ok && s.To.N == 1 {
			return f.meaning(s.Value != 0)
		}
	case flow.TunID:
		return "VNI " + strconv.FormatUint(s.Value, 10)
	case flow.TunDst, flow.TunIPv6Dst:
		if g.hosts[s.Addr] != "" {
			return "tunnel to host " + g.hosts[s.Addr]
		}
		return "tunnel to " + s.FieldText
	case flow.EthSrc, flow.EthDst, flow.IPDSCP, flow.IPSrc, flow.IPDst, flow.VlanVID:
		if s.FieldText != "" {
			return "set " + s.To.Field.String() + " " + s.FieldText
		}
	}
	return s.Text
}

// Meter describes the traffic that a meter limits.
func (g *Glossary) Meter(id uint32) string {
	if id >= flow.LeasedMeters {
		return "limit on what goes to the agent"
	}
	whose := g.named(portNames, uint64(id&^receiveMeters))
	if id&receiveMeters != 0 {
		return "limit on what " + whose + " receives"
	}
	return "limit on what " + whose + " sends"
}

// Group describes the purpose of a group.
func (g *Glossary) Group(id uint32) string {
	network := func() string {
		for number, name := range g.names[networkNames] {
			if uint32(number)&idMask == id&idMask {
				return name
			}
		}
		return "number " + strconv.FormatUint(uint64(id&idMask), 10)
	}
	switch kind := id &^ idMask; {
	case kind == uplinkGroup:
		return "out by an uplink that is live"
	case kind == nextHopGroup:
		return "on to one of several next hops"
	case kind == spread:
		return "on to a backend of the service"
	case kind == floodHere:
		return "a copy to each receiver here of network " + network()
	case kind == floodElsewhere:
		return "a copy to each other host of network " + network()
	case kind >= floodPartElsewhere:
		return "a copy to some other hosts of network " + network()
	case kind >= floodPart:
		return "a copy to some receivers here of network " + network()
	}
	return "group " + strconv.FormatUint(uint64(id), 10)
}

// flagged describes the bits of reg0 that mask selects.
func (g *Glossary) flagged(v, mask uint64) string {
	var words []string
	for bit := range 32 {
		if mask>>bit&1 == 0 {
			continue
		}
		f, ok := g.flags[bit]
		if !ok {
			f = flagBit{set: fmt.Sprintf("flag %d set", bit), unset: fmt.Sprintf("flag %d not set", bit)}
		}
		words = append(words, f.meaning(v>>bit&1 == 1))
	}
	return strings.Join(words, ", ")
}

// named is the name of a number.
func (g *Glossary) named(kind nameKind, v uint64) string {
	if n := g.names[kind][v]; n != "" {
		return n
	}
	return kind.otherwise() + strconv.FormatUint(v, 10)
}
