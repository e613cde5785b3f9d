package pipeline

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Glossary says flows in words: what registers, ports and tunnel addresses stand for in a State. It is a copy: later
// changes of the State do not change it.
type Glossary struct {
	networks map[uint64]string
	tenants  map[uint64]string
	groups   map[uint64]string
	rules    map[uint64]string // by the number that connections carry
	ports    map[uint64]string
	tags     map[uint64]string // networks by VNI
	hosts    map[netip.Addr]string
	tables   flow.Tables
}

// NewGlossary reads the names in s. rule is what users call the rule with an ID.
func (p *Pipeline) NewGlossary(s *ofnet.State, rule func(id string) string) *Glossary {
	g := &Glossary{networks: map[uint64]string{}, tenants: map[uint64]string{}, groups: map[uint64]string{0: "no group"}, tags: map[uint64]string{},
		rules: map[uint64]string{}, ports: map[uint64]string{}, hosts: map[netip.Addr]string{}, tables: p.tables}
	for name, n := range s.Segments {
		g.networks[uint64(n.ID)] = name
		if n.Encap == ofnet.VXLAN {
			g.tags[uint64(n.Tag)] = name
		}
	}
	for name, t := range s.Tenants {
		g.tenants[uint64(t.ID)] = name
	}
	for name, x := range s.Groups {
		g.groups[uint64(x.ID)] = name
	}
	for id, r := range s.Rules {
		g.rules[uint64(uint32(flow.Owner(r.Key())))] = rule(id)
	}
	for name, h := range s.Hosts {
		if h.VTEP.IsValid() {
			g.hosts[h.VTEP] = name
		}
	}
	for id, e := range s.Endpoints {
		if e.Port != 0 {
			g.ports[uint64(e.Port)] = "endpoint " + id
		}
	}
	for _, p := range s.Local.Backup {
		g.ports[uint64(p)] = map[bool]string{false: "an uplink in reserve", true: "another uplink"}[len(s.Local.Channel) > 0]
	}
	for n, what := range map[uint32]string{s.Local.Tunnel: "the tunnel port", s.Local.Uplink: "the uplink", s.Local.Host: "the host port"} {
		if n != 0 {
			g.ports[uint64(n)] = what
		}
	}
	if s.Router != nil {
		g.ports[uint64(s.Router.Port)] = "the router's own port"
	}
	return g
}

// flagWords are the bits of reg0.
func flagWords() map[int][2]string {
	return map[int][2]string{
		bitEndpoint: {"from a local endpoint", "not from a local endpoint"},
		bitTunnel:   {"from the tunnel", "not from the tunnel"},
		bitUplink:   {"from the uplink", "not from the uplink"},
		bitHost:     {"from the host", "not from the host"},
		bitFabric:   {"from the fabric", "not from the fabric"},
		bitRelayed:  {"handed on by another host", "not handed on"},
		bitRouted:   {"to the router", "not to the router"},
		bitSkip:     {"judged already", "not judged yet"},
		bitBUM:      {"to be replicated", "not to be replicated"},
		bitLocal:    {"receiver is here", "receiver is elsewhere"},
		bitNoCommit: {"not to be remembered", "to be remembered"},
		bitHairpin:  {"hairpin", "no hairpin"},
		bitReply:    {"an answer", "no answer"},
		bitOpening:  {"opens a connection", "does not open a connection"},
		bitSeen:     {"seen by the agent", "not seen by the agent"},
		bitAnswer:   {"answers within a connection", "does not answer"},
		bitTurned:   {"stands for its opener", "stands for itself"},
		bitAdmitted: {"let pass by the rules", "not let pass by the rules"},
		bitBehind:   {"answers for a service", "answers for itself"},
	}
}

// Match says what a flow is about. What has no name is printed as ovs-ofctl does.
func (g *Glossary) Match(m flow.Match) string {
	if m.IsZero() {
		return "any packet"
	}
	var words []string
	for _, term := range split(m.String()) {
		name, value, _ := strings.Cut(term, "=")
		words = append(words, g.term(term, name, value))
	}
	return strings.Join(words, ", ")
}

func (g *Glossary) term(term, name, value string) string {
	v, mask, err := number(value)
	if err != nil {
		return g.address(term, name, value)
	}
	switch name {
	case "in_port":
		return "from " + named(g.ports, v, "port ")
	case "reg0":
		return flags(v, mask)
	case "reg1":
		return "network " + named(g.networks, v, "number ")
	case "reg2":
		if mask == 0xffff {
			return "tenant " + named(g.tenants, v, "number ")
		}
	case "reg3":
		return "from group " + named(g.groups, v, "number ")
	case "reg4":
		return "to group " + named(g.groups, v, "number ")
	case "reg5":
		return "towards " + named(g.ports, v, "port ")
	case "tun_id":
		return "VNI " + strconv.FormatUint(v, 10) + " of " + named(g.tags, v, "network number ")
	}
	return term
}

// address says the terms about addresses.
func (g *Glossary) address(term, name, value string) string {
	switch name {
	case "tun_src":
		if a, err := netip.ParseAddr(value); err == nil && g.hosts[a] != "" {
			return "from host " + g.hosts[a]
		}
	case "nw_src", "ipv6_src", "dl_src":
		return "from " + value
	case "nw_dst", "ipv6_dst", "dl_dst":
		return "to " + value
	case "arp_tpa", "nd_target":
		return "asking for " + value
	case "arp_spa":
		return "asked by " + value
	}
	return term
}

var (
	loadAction = regexp.MustCompile(`^(?:load|set_field):(0x[0-9a-f]+|[0-9]+)->(NXM_NX_REG([0-9]+)|reg([0-9]+)|tun_id)(?:\[(?:([0-9]+)(?:\.\.([0-9]+))?)?\])?$`)
	fieldSet   = regexp.MustCompile(`^set_field:([^>]+)->(tun_dst|tun_ipv6_dst|eth_src|eth_dst|ip_dscp|nw_tos|ip_src|ip_dst|vlan_vid)$`)
)

// Actions says what a flow does.
func (g *Glossary) Actions(a flow.Actions) string {
	if a.IsDrop() {
		return "drop"
	}
	var words []string
	for _, step := range split(a.Text(g.tables)) {
		if w := g.step(step); w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}

func (g *Glossary) step(step string) string {
	if m := loadAction.FindStringSubmatch(step); m != nil {
		v, err := strconv.ParseUint(m[1], 0, 64)
		if err == nil {
			return g.load(step, v, m[3]+m[4], m[2] == "tun_id", m[5])
		}
	}
	if m := fieldSet.FindStringSubmatch(step); m != nil {
		switch m[2] {
		case "tun_dst", "tun_ipv6_dst":
			if a, err := netip.ParseAddr(m[1]); err == nil && g.hosts[a] != "" {
				return "tunnel to host " + g.hosts[a]
			}
			return "tunnel to " + m[1]
		default:
			return "set " + m[2] + " " + m[1]
		}
	}
	word, rest, _ := strings.Cut(step, ":")
	switch word {
	case "goto_table":
		return "go on at " + strings.Trim(rest, `"`)
	case "output":
		if v, err := strconv.ParseUint(rest, 10, 32); err == nil {
			return "out to " + named(g.ports, v, "port ")
		}
		if rest == "NXM_NX_REG5[]" || rest == "reg5" {
			return "out where the lookup said"
		}
	case "group":
		if v, err := strconv.ParseUint(rest, 10, 32); err == nil {
			return g.Group(uint32(v))
		}
	case "meter":
		if v, err := strconv.ParseUint(rest, 10, 32); err == nil {
			return g.Meter(uint32(v))
		}
	case "pop_vlan":
		return "take the tag off"
	case "push_vlan":
		return "put a tag on"
	case "dec_ttl":
		return "decrement TTL"
	case "IN_PORT", "in_port":
		return "back to where it came from"
	}
	return step
}

// Meter says whose traffic a meter limits.
func (g *Glossary) Meter(id uint32) string {
	if id >= flow.LeasedMeters {
		return "limit on what goes to the agent"
	}
	whose := named(g.ports, uint64(id&^receiveMeters), "port ")
	if id&receiveMeters != 0 {
		return "limit on what " + whose + " receives"
	}
	return "limit on what " + whose + " sends"
}

// Group says what a group is for.
func (g *Glossary) Group(id uint32) string {
	network := func() string {
		for number, name := range g.networks {
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

// load says what a register gets.
func (g *Glossary) load(step string, v uint64, reg string, vni bool, first string) string {
	if vni {
		return "VNI " + strconv.FormatUint(v, 10)
	}
	switch reg {
	case "0":
		if bit, err := strconv.Atoi(first); err == nil {
			if w, ok := flagWords()[bit]; ok {
				return w[1-min(int(v), 1)]
			}
		}
	case "1":
		return "network " + named(g.networks, v, "number ")
	case "2":
		if first == "16" {
			return "" // the hairpin zone follows from the tenant
		}
		return "tenant " + named(g.tenants, v, "number ")
	case "3":
		return "sender's group " + named(g.groups, v, "number ")
	case "4":
		return "receiver's group " + named(g.groups, v, "number ")
	case "6", "7":
		return "admitted by rule " + named(g.rules, v, "number ")
	case "5":
		return "way out is " + named(g.ports, v, "port ")
	}
	return step
}

func flags(v, mask uint64) string {
	var words []string
	for bit := range 32 {
		if mask>>bit&1 == 0 {
			continue
		}
		w, ok := flagWords()[bit]
		if !ok {
			w = [2]string{fmt.Sprintf("flag %d set", bit), fmt.Sprintf("flag %d not set", bit)}
		}
		words = append(words, w[1-(v>>bit&1)])
	}
	return strings.Join(words, ", ")
}

func named(names map[uint64]string, v uint64, otherwise string) string {
	if n := names[v]; n != "" {
		return n
	}
	return otherwise + strconv.FormatUint(v, 10)
}

// number reads "value" or "value/mask".
func number(text string) (v, mask uint64, err error) {
	value, m, masked := strings.Cut(text, "/")
	if v, err = strconv.ParseUint(value, 0, 64); err != nil {
		return 0, 0, err
	}
	if !masked {
		return v, ^uint64(0), nil
	}
	mask, err = strconv.ParseUint(m, 0, 64)
	return v, mask, err
}

// split cuts a list at the commas that are not within brackets.
func split(list string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range list {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, list[start:i])
				start = i + 1
			}
		}
	}
	return append(out, list[start:])
}
