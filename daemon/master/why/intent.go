// SPDX-License-Identifier: Apache-2.0

package why

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// intend evaluates the intent of the objects.
func intend(v *catalog.View, from, to end, q model.WhyRequest) model.WhyIntent {
	unknown := func(format string, args ...any) model.WhyIntent {
		return model.WhyIntent{Verdict: model.VerdictUnknown, Text: fmt.Sprintf(format, args...)}
	}
	denied := func(format string, args ...any) model.WhyIntent {
		return model.WhyIntent{Verdict: model.VerdictDenied, Text: fmt.Sprintf(format, args...)}
	}
	tenant, other := tenant(from), tenant(to)
	switch {
	case tenant == "" && other == "":
		return unknown("neither end is Contiv's")
	case derive.ByACI(v.Global()):
		return unknown("policies are the ACI fabric's to carry out")
	case tenant != "" && other != "" && tenant != other:
		return denied("%s is of tenant %s and %s of tenant %s, which are apart", from.object, tenant, to.object, other)
	case !from.address.IsValid() || !to.address.IsValid():
		return unknown("an end has no address")
	case from.address.Is4() != to.address.Is4():
		return denied("%s is asked at %s, and %s has no address of that family", to.name, to.address, from.name)
	case from.endpoint != nil && from.kind != kindHost && !hasRoute(v, from.endpoint, to.address):
		return denied("network %s has no gateway, and %s is not on it", from.endpoint.ID.Network, to.object)
	case isOwnGateway(v, from, to) && q.Protocol != icmp && q.Port != dnsPort:
		return denied("%s is the gateway of network %s, which answers only pings and DNS queries", to.address, from.endpoint.ID.Network)
	case from.endpoint != nil && reserved(v, to, q) != "":
		return denied("%s is %s", to.address, reserved(v, to, q))
	case from.endpoint != nil && unused(v, tenant, to) != "":
		return denied("no container has %s, an address of network %s", to.address, unused(v, tenant, to))
	case from.endpoint != nil && to.endpoint != nil && from.endpoint.ID == to.endpoint.ID:
		return unknown("both ends are the same container: no switch sees its packets")
	}
	if tenant == "" {
		tenant = other
	}
	rules := verdict.New(tenant, v.Objects(model.KindEndpointGroup()), v.Objects(model.KindNetwork()), v.Objects(model.KindRule()))
	switch {
	case to.kube != nil:
		return toKubernetesService(v, rules, from, to, q)
	case to.service == nil:
		return evaluate(v, rules, from, to, q)
	}
	port, ok := backendPort(to.service, q.Protocol, q.Port)
	if !ok {
		return denied("service %s has no port %s", to.service.ID, traffic(q.Protocol, q.Port))
	}
	var first *model.WhyIntent
	for _, e := range v.ProvidersOf(to.service) {
		at := q
		at.Port = port
		one := evaluate(v, rules, from, end{endpoint: e, address: addressOfFamily(e, to.address)}, at)
		if first != nil && first.Verdict != one.Verdict {
			return unknown("rules admit some providers of service %s and not others", to.service.ID)
		}
		first = &one
	}
	if first == nil {
		return denied("service %s has no providers", to.service.ID)
	}
	return *first
}

// backendPort returns the providers' port of a service's port.
func backendPort(s *record.ServiceLB, protocol string, port int) (int, bool) {
	for _, p := range s.Ports {
		f := strings.Split(p, ":")
		if len(f) != 3 || f[0] != strconv.Itoa(port) || !strings.EqualFold(f[2], protocol) {
			continue
		}
		n, err := strconv.Atoi(f[1])
		return n, err == nil
	}
	return 0, false
}

func tenant(e end) string {
	switch {
	case e.endpoint != nil:
		return e.tenant
	case e.service != nil:
		return e.service.ID.Tenant
	case e.kube != nil:
		return e.tenant
	}
	return ""
}

// hasRoute reports whether the containers of an endpoint's network have a route to an address: the address is on their network, the network
// has a gateway of its family, or the switch is the gateway.
func hasRoute(v *catalog.View, e *record.Endpoint, to netip.Addr) bool {
	n, g := v.Network(e.ID.Network), v.Global()
	if n == nil || n.Covers(to) || g != nil && (g.FwdMode == fwdRouting || g.HostAccess == record.HostDirect) {
		return true
	}
	if to.Is6() {
		return n.Record.Gateway6.IsValid()
	}
	return n.Record.Gateway.IsValid()
}

// dnsPort is the port of name servers (RFC 1035 section 4.2).
const dnsPort = 53

// isOwnGateway reports whether to is the gateway of from's network, and the switch itself is that gateway.
func isOwnGateway(v *catalog.View, from, to end) bool {
	if from.endpoint == nil || gatewayOutside(v, from.endpoint.ID.Network, to.address) {
		return false
	}
	n := v.Network(from.endpoint.ID.Network)
	return n != nil && isGateway(n.Record, to.address)
}

func isGateway(n *record.Network, a netip.Addr) bool {
	return a.IsValid() && (a == n.Gateway || a == n.Gateway6)
}

// reserved describes an address that the router routes to no container; "" for others. Over UDP, an answer to the host and a new flow to it
// look the same.
func reserved(v *catalog.View, to end, q model.WhyRequest) string {
	if to.endpoint != nil || to.service != nil || to.kube != nil {
		return ""
	}
	if a := to.address; a.Is6() && (a.IsLinkLocalUnicast() || a.IsMulticast()) {
		return "a link-local address, which is not routed"
	}
	g := v.Global()
	if g == nil {
		return ""
	}
	private := g.PvtSubnet
	if !private.Contains(to.address) || q.Protocol == udp && to.address == pipeline.HostAddr(private.Masked()) {
		return ""
	}
	return "of " + private.Masked().String() + ", the addresses by which hosts know their containers, and containers open nothing towards these"
}

// unused returns the network of a tenant that contains an end's address without an owner; "" if it has an owner, an external machine may
// have it, as on a VLAN, or it is the gateway.
func unused(v *catalog.View, tenant string, e end) string {
	if e.endpoint != nil || e.service != nil || e.kube != nil {
		return ""
	}
	for _, n := range v.Networks(tenant) {
		r := n.Record
		if r.Encap == record.VXLAN && n.Covers(e.address) && !isGateway(r, e.address) {
			return r.ID.String()
		}
	}
	return ""
}

// point converts an end for the evaluation of policies.
func point(v *catalog.View, e end) verdict.Point {
	p := verdict.Point{Addr: e.address}
	if e.endpoint == nil {
		return p
	}
	p.Network = e.endpoint.ID.Name
	if group := e.endpoint.Group; !group.IsZero() {
		p.Group, _ = v.Stored(model.KindEndpointGroup(), group.String()).(*model.EndpointGroup)
	}
	return p
}

// judge evaluates the rules of both sides.
func judge(rules *verdict.Policies, from, to verdict.Point, protocol string, port int) model.WhyIntent {
	t := packetOf(protocol, port, from.Addr.Is6())
	d := rules.Packet(from, to, t)
	out := intentOf(d, traffic(protocol, port))
	if protocol == icmp && d.Fate == verdict.Allowed {
		if echo := rules.Echo(to, from); echo.Fate != verdict.Allowed {
			return intentOf(echo, "the answer to a ping")
		}
	}
	return out
}

func intentOf(d verdict.Decision, what string) model.WhyIntent {
	var out model.WhyIntent
	if d.Out.By != nil {
		out.Out = d.Out.By.ObjectKey()
	}
	if d.In.By != nil {
		out.In = d.In.By.ObjectKey()
	}
	by := ""
	if r := d.By(); r != nil {
		by = r.ObjectKey()
	}
	switch {
	case d.Fate == verdict.Denied:
		out.Verdict, out.Text = model.VerdictDenied, "rule "+by+" denies "+what
	case d.Fate == verdict.Depends:
		out.Verdict, out.Text = model.VerdictUnknown, "rule "+by+" may be about "+what+", or not"
	case by == "":
		out.Verdict, out.Text = model.VerdictAllowed, "no rule speaks of "+what+", so it passes"
	default:
		out.Verdict, out.Text = model.VerdictAllowed, "rule "+by+" allows "+what
	}
	return out
}

func traffic(protocol string, port int) string {
	if protocol == icmp {
		return "a ping"
	}
	return protocol + " " + strconv.Itoa(port)
}
