// SPDX-License-Identifier: Apache-2.0

package why

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// kubernetesServices returns the services of Kubernetes that the text names, by "namespace/name" or by an address.
func (s *search) kubernetesServices() (out []candidate) {
	if !s.wants(kindService) || s.text == "" {
		return nil
	}
	a, _ := netip.ParseAddr(s.text)
	id, named := identity.ParseKubernetesServicePath(s.text)
	text := id.Name
	switch {
	case a.IsValid():
		text = a.String()
	case !named:
		return nil
	}
	for _, k := range s.v.KubernetesServicesWith(text) {
		at := a
		switch {
		case a.IsValid() && s.serves(k, a):
		case !a.IsValid() && k.ID == id:
			if at = (netip.Addr{}); len(k.ClusterIPs) > 0 {
				at = k.ClusterIPs[0]
			}
		default:
			continue
		}
		tenant := s.v.TenantOfService(k.ID)
		if tenant == catalog.AllTenants {
			tenant = ""
		}
		if s.q.Tenant == "" || tenant == "" || tenant == s.q.Tenant {
			out = append(out, candidate{kindService, k.ID.Path(), tenant, end{kube: k, tenant: tenant, address: at}})
		}
	}
	return out
}

// serves reports whether a service has an address: its own, or a borrowed one that no service owns, for the port in question.
func (s *search) serves(k *record.KubernetesService, a netip.Addr) bool {
	switch {
	case s.owns(k, a):
		return true
	case !slices.Contains(slices.Concat(k.ExternalIPs, k.LoadBalancerIPs), a):
		return false
	}
	number := packetOf(s.q.Protocol, s.q.Port, false).Protocol
	return slices.ContainsFunc(k.Ports, func(p record.ServicePort) bool { return int(p.Protocol) == number && int(p.Port) == s.q.Port }) &&
		!slices.ContainsFunc(s.v.KubernetesServicesWith(a.String()), func(o *record.KubernetesService) bool { return s.owns(o, a) })
}

// owns reports whether an address is a service's own: of the cluster, or allocated by Contiv.
func (s *search) owns(k *record.KubernetesService, a netip.Addr) bool {
	given := s.v.LoadBalancer(k.ID)
	return slices.Contains(k.ClusterIPs, a) || given != nil && slices.Contains(given.Addresses, a)
}

// nodePort returns the service of Kubernetes whose node port is the one in question, and the tenant that it is for; nil if there is none.
func (s *search) nodePort() (k *record.KubernetesService, tenant string) {
	g := s.v.Global()
	if s.field != "to" || s.q.Port == 0 || g == nil || g.HostAccess != record.HostDirect {
		return nil, ""
	}
	number := packetOf(s.q.Protocol, s.q.Port, false).Protocol
	for _, k := range s.v.KubernetesServicesWith(strconv.Itoa(s.q.Port)) {
		if !slices.ContainsFunc(k.Ports, func(p record.ServicePort) bool { return int(p.Protocol) == number && int(p.NodePort) == s.q.Port }) {
			continue
		}
		if tenant = s.v.TenantOfService(k.ID); tenant == catalog.AllTenants {
			tenant = ""
		}
		if s.near == "" || tenant == "" || tenant == s.near { // node ports of other tenants are local to the node
			return k, tenant
		}
	}
	return nil, ""
}

// called names a service in texts: by its name, and the node of its node port.
func called(to end) string {
	name := "service " + to.kube.ID.Path()
	if to.node != "" {
		return "the node port of " + to.node + " is of " + name + ", which"
	}
	return name
}

// target is a backend of a port of a service: an endpoint, or another owner of the address.
type target struct {
	endpoint *record.Endpoint // nil: not one of Contiv's
	address  netip.Addr
	port     int
}

// targets returns the backends of one port, of the family of the destination address: the ready ones, or else those that still serve. ok is
// false if there is no such port.
func targets(v *catalog.View, to end, protocol string, port int) (out []target, ok bool) {
	number := packetOf(protocol, port, false).Protocol
	i := slices.IndexFunc(to.kube.Ports, func(p record.ServicePort) bool {
		own := p.Port
		if to.node != "" {
			own = p.NodePort
		}
		return int(p.Protocol) == number && int(own) == port
	})
	if i < 0 {
		return nil, false
	}
	list := v.SlicesOf(to.kube.ID)
	for _, state := range []record.EndpointState{record.EndpointReady, record.EndpointDraining} {
		for _, s := range list {
			at := slices.IndexFunc(s.Ports, func(p record.SlicePort) bool {
				return p.Name == to.kube.Ports[i].Name && p.Protocol == to.kube.Ports[i].Protocol
			})
			for _, e := range s.Endpoints {
				if at >= 0 && e.State == state && e.Address.Is4() == to.address.Is4() {
					out = append(out, target{backendEndpoint(v, &e), e.Address, int(s.Ports[at].Port)})
				}
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out, true
}

// backendEndpoint returns the endpoint of a backend, nil if it is not one of Contiv's.
func backendEndpoint(v *catalog.View, b *record.SliceEndpoint) *record.Endpoint {
	for _, e := range v.EndpointsOfPod(b.Pod) {
		if has(e, b.Address) {
			return e
		}
	}
	return nil
}

// toKubernetesService evaluates the intent of the objects for a packet to a service of Kubernetes.
func toKubernetesService(v *catalog.View, rules *verdict.Policies, from, to end, q model.WhyRequest) model.WhyIntent {
	name := to.kube.ID.Path()
	host := from.kind == kindHost || from.kind == kindAddress // a cluster-external client, except on the node itself
	denied := func(format string, args ...any) model.WhyIntent {
		return model.WhyIntent{Verdict: model.VerdictDenied, Text: fmt.Sprintf(format, args...)}
	}
	list, ok := targets(v, to, q.Protocol, q.Port)
	switch {
	case !ok:
		return denied("service %s has no port %s", name, traffic(q.Protocol, q.Port))
	case len(list) == 0:
		return denied("service %s has no backend that serves %s", name, traffic(q.Protocol, q.Port))
	case host && to.node != "" && from.object != to.node && to.kube.ExternalLocal:
		if list = slices.DeleteFunc(list, func(t target) bool { return t.endpoint == nil || t.endpoint.Host != to.node }); len(list) == 0 {
			return denied("service %s leads clients outside to backends of the node that they ask (externalTrafficPolicy Local), and %s has none", name, to.node)
		}
	}
	var first *model.WhyIntent
	for _, t := range list {
		at := q
		at.Port = t.port
		one := evaluate(v, rules, from, end{name: t.name(), kind: t.kind(), endpoint: t.endpoint, address: t.address}, at)
		if first != nil && first.Verdict != one.Verdict {
			return model.WhyIntent{Verdict: model.VerdictUnknown, Text: "policies admit some backends of service " + name + " and not others"}
		}
		first = &one
	}
	backend := fmt.Sprintf("one of %d backends", len(list))
	if len(list) == 1 {
		backend = "its only backend, " + list[0].name()
	}
	first.Text = fmt.Sprintf("%s leads it to %s; %s", called(to), backend, first.Text)
	return *first
}

func (t *target) name() string {
	if t.endpoint != nil {
		return t.endpoint.Pod.ID.Path()
	}
	return t.address.String()
}

func (t *target) kind() string {
	if t.endpoint != nil {
		return kindEndpoint
	}
	return kindAddress
}

// toKubernetesService directs the packet to a backend that is an endpoint: a trace does not show which one the switch would choose.
func (w *path) toKubernetesService(v *catalog.View, to end, p *model.TracePacket) {
	list, _ := targets(v, to, p.Protocol, p.DstPort)
	w.there.through = through{service: to.kube.ID.Path(), address: p.Dst, port: p.DstPort, client: w.source.Host}
	for _, t := range list {
		if t.endpoint == nil {
			continue
		}
		if len(w.there.targets) == 0 {
			w.there.through.spread, p.Dst = len(list), t.address.String()
			if p.DstPort != 0 {
				p.DstPort = t.port
			}
		}
		w.there.targets = append(w.there.targets, t.endpoint)
	}
}
