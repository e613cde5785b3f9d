// SPDX-License-Identifier: Apache-2.0

package why

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/identity"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// maxHops bounds a path: one host sends, one receives; more is a loop.
const maxHops = 4

// clientPort is the source port of traced packets: one of the ephemeral ports.
const clientPort = 40000

// route is a packet to trace from a switch on.
type route struct {
	host          string // the first switch; "" if none can be asked
	ask           model.TraceRequest
	targets       []*record.Endpoint // the expected receivers of the packet; empty if it should leave
	unknownReason string             // why the fate of the packet is unknown; "" if a switch can be asked
	noRoute       string             // why the sender has no route; "" if it has one
	through       through
}

// through is the service between both ends; the zero through is none. The switch of the client's host translates the client's packets, and
// keeps state to undo that in the answers. A trace does not use such state.
type through struct {
	service  string // id; "" is none
	address  string
	port     int
	client   string // host
	spread   int    // number of providers over which connections are balanced individually; 0: a client keeps its provider
	answered bool   // this is the path of the answer
}

// path has the forward route, and what the return route depends on.
type path struct {
	there            route
	source           *record.Endpoint
	try              string                    // the remedy for that, a sentence; "" if there is none
	unroutable       bool                      // the sender has no route: no switch will see a packet
	routed           bool                      // containers send everything to the router, also on their own network
	externalGateways map[identity.Network]bool // networks whose gateway is an external router
	silent           map[identity.Network]bool // networks whose containers have no route for the answer
}

// gatewayOutside reports whether a network's gateway for packets to an address is an external machine, as on every bridged VLAN, unless the
// network has no gateway of that family and the switch acts as one because hosts access containers directly.
func gatewayOutside(v *catalog.View, network identity.Network, to netip.Addr) bool {
	n, g := v.Network(network), v.Global()
	if n == nil || n.Record.Encap != record.VLAN {
		return false
	}
	if g == nil {
		return true
	}
	own := n.Record.Gateway
	if to.Is6() {
		own = n.Record.Gateway6
	}
	return g.FwdMode != fwdRouting && (g.HostAccess != record.HostDirect || own.IsValid())
}

const fwdRouting = "routing"

// plan returns the packet to trace, and the switch to start at.
func plan(v *catalog.View, from, to end, q model.WhyRequest) path {
	if from.endpoint == nil || !from.address.IsValid() || !to.address.IsValid() {
		return path{}
	}
	if from.kind != kindHost && !hasRoute(v, from.endpoint, to.address) {
		return path{unroutable: true}
	}
	if from.address.Is4() != to.address.Is4() {
		return path{unroutable: true}
	}
	src := from.address.String()
	p := model.TracePacket{SrcMAC: from.endpoint.MAC.String(), DstMAC: model.RouterMAC, Src: src, Dst: to.address.String(), Protocol: q.Protocol}
	if q.Protocol != icmp {
		p.SrcPort, p.DstPort = clientPort, q.Port
	}
	w := path{source: from.endpoint, externalGateways: map[identity.Network]bool{}, silent: map[identity.Network]bool{}}
	if g := v.Global(); g != nil {
		w.routed = g.FwdMode == fwdRouting
	}
	switch {
	case to.endpoint != nil:
		w.there.targets = []*record.Endpoint{to.endpoint}
		if to.endpoint.ID.Network == from.endpoint.ID.Network && !w.routed {
			p.DstMAC = to.endpoint.MAC.String()
		}
	case to.service != nil:
		w.there.targets = v.ProvidersOf(to.service)
		w.there.through = through{service: to.service.ID.String(), address: p.Dst, port: p.DstPort, client: from.endpoint.Host}
		w.spread(to.service, &p)
	case to.kube != nil:
		w.toKubernetesService(v, to, &p)
	}
	for _, e := range append([]*record.Endpoint{from.endpoint}, w.there.targets...) {
		w.externalGateways[e.ID.Network] = gatewayOutside(v, e.ID.Network, to.address)
	}
	for _, e := range w.there.targets {
		w.silent[e.ID.Network] = (to.kind != kindHost || to.kube != nil) && !hasRoute(v, e, from.address)
	}
	if p.DstMAC == model.RouterMAC && to.service == nil && to.kube == nil {
		w.there.unknownReason = w.outside(from.endpoint)
	}
	w.there.host = from.endpoint.Host
	w.there.ask = model.TraceRequest{From: "endpoint/" + from.endpoint.ID.String(), Packet: p}
	return w
}

// spread directs the packet to one provider of a service that balances each connection individually: a trace does not show which one the
// switch would choose.
func (w *path) spread(s *record.ServiceLB, p *model.TracePacket) {
	port, ok := backendPort(s, p.Protocol, p.DstPort)
	if s.Affinity != record.AffinityNone || len(w.there.targets) == 0 || !ok {
		return
	}
	w.there.through.spread = len(w.there.targets)
	if vip, err := netip.ParseAddr(p.Dst); err == nil {
		p.Dst = addressOfFamily(w.there.targets[0], vip).String()
	}
	p.DstPort = port
}

// outside describes that packets to the gateway leave Contiv; "" if they do not.
func (w *path) outside(e *record.Endpoint) string {
	if !w.externalGateways[e.ID.Network] {
		return ""
	}
	return "hands it to the gateway of " + e.ID.Network.String() + ", a router outside of Contiv that cannot be asked"
}

// back returns the route of the answer to a packet that has arrived at an endpoint; none if the packet left Contiv, or was itself an answer
// of a service to its client: the switch translates such an answer by state that a trace does not show.
func (w *path) back(arrived model.TracePacket) route {
	if t := w.there.through; t.service != "" && arrived.Src == t.address {
		return route{}
	}
	i := slices.IndexFunc(w.there.targets, func(e *record.Endpoint) bool {
		return hasText(e, arrived.Dst)
	})
	if i < 0 {
		return route{}
	}
	e := w.there.targets[i]
	p := model.TracePacket{SrcMAC: e.MAC.String(), DstMAC: model.RouterMAC, Src: arrived.Dst, Dst: arrived.Src,
		Protocol: arrived.Protocol, SrcPort: arrived.DstPort, DstPort: arrived.SrcPort}
	untold := ""
	switch {
	case e.ID.Network == w.source.ID.Network && !w.routed:
		p.DstMAC = w.source.MAC.String()
	default:
		untold = w.outside(e)
	}
	back := w.there.through
	back.answered = true
	lacks := ""
	if w.silent[e.ID.Network] {
		lacks = "has no way to " + p.Dst + " for endpoint " + e.ID.String() + ": network " + e.ID.Network.String() + " has no gateway"
	}
	return route{host: e.Host, unknownReason: untold, noRoute: lacks, ask: model.TraceRequest{From: "endpoint/" + e.ID.String(), Answer: true, Packet: p},
		targets: []*record.Endpoint{w.source}, through: back}
}

// walk asks one switch after another, and returns the packet as it arrives.
func (a *Explainer) walk(ctx context.Context, r route) (way model.WhyPath, arrived model.TracePacket) {
	if r.host == "" {
		return way, arrived
	}
	if r.noRoute != "" {
		way.Verdict = model.VerdictDenied
		way.Hops = []model.WhyHop{{Host: r.host, Verdict: model.VerdictDenied, Text: r.noRoute, Outside: true,
			Try: "make a network with a gateway of that family for it: that of a network does not change"}}
		return way, arrived
	}
	way.Verdict = model.VerdictUnknown
	if r.unknownReason != "" {
		way.Hops = []model.WhyHop{{Host: r.host, Verdict: model.VerdictUnknown, Text: r.unknownReason}}
		return way, arrived
	}
	for len(way.Hops) < maxHops {
		t, err := a.trace(ctx, r.host, r.ask)
		if err != nil {
			way.Hops = append(way.Hops, model.WhyHop{Host: r.host, Verdict: model.VerdictUnknown, Text: "was not asked: " + err.Error()})
			return way, arrived
		}
		hop, next := r.hop(&t)
		way.Hops = append(way.Hops, hop)
		if next == nil {
			way.Verdict = hop.Verdict
			return way, t.After
		}
		next.ask.Packet, next.ask.Answer = t.After, r.ask.Answer
		r = *next
	}
	way.Verdict = model.VerdictDenied
	last := &way.Hops[len(way.Hops)-1]
	last.Verdict, last.Text = model.VerdictDenied, last.Text+", and on and on: it goes in a circle"
	return way, arrived
}

// hop describes what a switch does with the packet, and returns the next switch to ask; nil at the end.
func (r *route) hop(t *model.Trace) (model.WhyHop, *route) {
	h := model.WhyHop{Host: r.host, Steps: t.Steps, Verdict: model.VerdictAllowed, Foreign: foreign(t.Steps)}
	taken := "takes it from " + r.origin()
	say := func(what string) { h.Text = strings.Join(append([]string{taken}, append(r.changes(t), what)...), ", ") }
	if rule := admitted(t.Steps); rule != "" {
		h.Owner = "rule/" + rule
	}
	x := r.best(t.Outputs)
	if t.Agent && (x == nil || x.To != "agent") {
		taken += ", has its agent answer it if that knows the name"
	}
	if x == nil {
		h.Verdict = model.VerdictDenied
		var why string
		why, h.Owner = dropped(t.Steps)
		say("drops it: " + why)
		if isClosed(t.Steps) {
			h.Outside, h.Try = true, fmt.Sprintf("netplugin --host-ports %s/%d opens it to all containers", t.After.Protocol, t.After.DstPort)
		}
		return h, nil
	}
	to, _ := identity.ParseRef(x.To)
	switch name := to.Name; to.Kind {
	case "endpoint":
		switch {
		case r.isTarget(name):
			say("delivers it to endpoint " + name)
		case x.To == r.ask.From:
			h.Text = taken + ", answers it itself"
		default:
			h.Verdict = model.VerdictDenied
			say("delivers it to endpoint " + name + ", which is not who was meant")
		}
		return h, nil
	case "agent":
		say("has its agent answer it")
		return h, nil
	case "host":
		if name == "" {
			say("hands it to the host, " + outsideHop(&h, x))
			if len(r.targets) > 0 {
				h.Verdict, h.Outside = model.VerdictDenied, false
			}
			return h, nil
		}
		say("sends it to host " + name + " in a tunnel, as of network " + x.Network)
		return h, r.nextHop(name, model.TraceRequest{From: "host/" + r.host, Network: x.Network})
	case "router":
		say("sends it to router " + name + " outside, " + outsideHop(&h, x))
		to := r.meant(t.After.Dst)
		switch {
		case h.Verdict != model.VerdictAllowed || to == nil:
			return h, nil
		case to.Host == r.host:
			h.Verdict, h.Outside = model.VerdictDenied, false
			return h, nil
		}
		return h, r.nextHop(to.Host, model.TraceRequest{From: "router"})
	case "uplink":
		say("sends it out by the VLAN trunk, as of network " + x.Network)
		to := r.meant(t.After.Dst)
		if to == nil {
			return h, nil
		}
		if to.Host == r.host {
			h.Verdict = model.VerdictDenied
			return h, nil
		}
		return h, r.nextHop(to.Host, model.TraceRequest{From: "uplink", Network: x.Network})
	}
	h.Verdict = model.VerdictUnknown
	say("sends it out by an unknown port")
	return h, nil
}

// meant returns the expected receiver of a packet to an address; nil if the packet should leave.
func (r *route) meant(dst string) *record.Endpoint {
	for _, e := range r.targets {
		if hasText(e, dst) {
			return e
		}
	}
	if len(r.targets) > 0 {
		return r.targets[0]
	}
	return nil
}

// outsideHop adopts the host's description of the path beyond its switch, and returns it as text.
func outsideHop(h *model.WhyHop, x *model.TraceExit) string {
	if x.Verdict == "" {
		h.Verdict = model.VerdictUnknown
		return "and the outcome there is unknown: its agent has an older version"
	}
	h.Outside, h.Verdict, h.Try = true, x.Verdict, x.Try
	return x.Text
}

// nextHop returns the route from the next switch on.
func (r *route) nextHop(host string, ask model.TraceRequest) *route {
	next := *r
	next.host, next.ask = host, ask
	return &next
}

func (r *route) isTarget(id string) bool {
	return slices.ContainsFunc(r.targets, func(e *record.Endpoint) bool { return e.ID.String() == id })
}

// best returns the exit that leads to the expected receiver: a packet may be copied to many ports.
func (r *route) best(exits []model.TraceExit) *model.TraceExit {
	rank := func(x *model.TraceExit) int {
		to, _ := identity.ParseRef(x.To)
		kind, name := to.Kind, to.Name
		switch {
		case kind == "endpoint" && r.isTarget(name):
			return 3
		case kind == "host" && slices.ContainsFunc(r.targets, func(e *record.Endpoint) bool { return e.Host == name }):
			return 2
		case kind == "uplink" || kind == "router":
			return 1
		}
		return 0
	}
	var best *model.TraceExit
	for i := range exits {
		if best == nil || rank(&exits[i]) > rank(best) {
			best = &exits[i]
		}
	}
	return best
}
