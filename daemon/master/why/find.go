// SPDX-License-Identifier: Apache-2.0

package why

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/identity"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// Kinds of ends.
const (
	kindEndpoint = "endpoint"
	kindGroup    = "group"
	kindService  = "service"
	kindHost     = "host"
	kindAddress  = "address"
)

// end is one end of a path: an endpoint, a service, a service of Kubernetes, or none of them.
type end struct {
	name     string
	kind     string
	object   string
	standsIn bool
	endpoint *record.Endpoint
	tenant   string // of the endpoint, or of the service of Kubernetes; "" if all tenants have it
	service  *record.ServiceLB
	kube     *record.KubernetesService
	node     string // label of the host whose node port leads to the service; "": the service's own address does
	address  netip.Addr
	explicit bool // the request names the address, so it is fixed
}

func (e *end) shown() model.WhyEnd {
	out := model.WhyEnd{Name: e.name, Kind: e.kind, Object: e.object, StandsIn: e.standsIn}
	if e.address.IsValid() {
		out.Address = e.address.String()
	}
	switch {
	case e.endpoint != nil:
		out.Tenant, out.Network, out.Group = e.tenant, e.endpoint.ID.Network.String(), e.endpoint.Group.String()
		out.Host, out.MAC = e.endpoint.Host, e.endpoint.MAC.String()
		if name := e.endpoint.CommonName; name != e.endpoint.ID.Endpoint {
			out.Container = name
		}
		if pod := e.endpoint.Pod.ID; !pod.IsZero() {
			out.Container = pod.Path()
		}
	case e.service != nil:
		out.Tenant, out.Network = e.service.ID.Tenant, e.service.Network.String()
	case e.kube != nil:
		out.Tenant = e.tenant
	case e.kind == kindHost:
		out.Host = e.object
	}
	return out
}

// candidate is a possible meaning of a name.
type candidate struct {
	kind, object string
	tenant       string // "" if it has none
	end          end
}

func (c candidate) String() string { return c.kind + "/" + c.object }

// both resolves the names of both ends. Packets of one tenant do not reach another's, and several tenants often have equal names and
// addresses, so an ambiguous end is resolved in the tenant of the other one. A name is more specific than an address.
func both(v *catalog.View, q model.WhyRequest) (from, to end, err error) {
	var errs [2]error
	from, errs[0] = find(v, "from", q.From, "", q)
	to, errs[1] = find(v, "to", q.To, "", q)
	byName := func(text string) bool { _, err := netip.ParseAddr(text); return err != nil }
	toFirst := errs[1] == nil && tenant(to) != "" && (errs[0] != nil || byName(q.To) && !byName(q.From))
	if toFirst {
		from, errs[0] = find(v, "from", q.From, tenant(to), q)
	} else if errs[0] == nil && tenant(from) != "" {
		to, errs[1] = find(v, "to", q.To, tenant(from), q)
	}
	return from, to, cmp.Or(errs[0], errs[1])
}

// find resolves a name, for an end that talks to one of the tenant near; "" is any. Exact matches take precedence over partial ones.
// Several matches are an error that lists them in their unambiguous form.
func find(v *catalog.View, field, text, near string, q model.WhyRequest) (end, error) {
	ref, typed := identity.ParseRef(text)
	kind, name := ref.Kind, ref.Name
	if !typed || !slices.Contains([]string{kindEndpoint, kindGroup, kindService, kindHost, kindAddress}, kind) {
		kind, name = "", text
	}
	s := search{v: v, field: field, text: name, kind: kind, near: near, q: q}
	found := s.nearest(s.exact())
	if len(found) == 0 {
		found = s.nearest(s.partial())
	}
	if len(found) == 0 {
		if a, err := netip.ParseAddr(name); err == nil && (kind == "" || kind == kindAddress) {
			found = []candidate{{kind: kindAddress, object: a.String(), end: end{address: a.Unmap()}}}
		}
	}
	switch len(found) {
	case 1:
		e := found[0].end
		e.name, e.kind, e.object = text, found[0].kind, found[0].object
		if e.kind == kindGroup {
			return member(v, field, e)
		}
		return e, nil
	case 0:
		return end{}, model.Errorf(model.CodeNotFound, field, "nothing is called %q", text).
			Try("%sit is a container, pod (NAMESPACE/NAME), group, service, host or address; netctl endpoint ls shows containers", s.alike())
	}
	const most = 8
	var names []string
	for i, c := range found {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(found)-most))
			break
		}
		names = append(names, c.String())
	}
	return end{}, model.Errorf(model.CodeConflict, field, "%q may be %s", text, strings.Join(names, ", ")).
		Try("say one of these, or narrow it with --tenant and --network")
}

// member returns a container that represents its group.
func member(v *catalog.View, field string, e end) (end, error) {
	group, _ := identity.ParseGroup(e.object)
	list := v.EndpointsIn(group)
	if len(list) == 0 {
		return end{}, model.Errorf(model.CodeNotFound, field, "group %s has no containers", e.object).
			Try("endpoint/NAME means a container; netctl matrix shows what the group's policies say")
	}
	e.kind, e.object, e.standsIn, e.endpoint, e.tenant = kindEndpoint, list[0].ID.String(), true, list[0], list[0].ID.Tenant
	e.address = addressOf(list[0])
	return e, nil
}

// addressOf returns an endpoint's address, IPv4 if it has one.
func addressOf(e *record.Endpoint) netip.Addr {
	return cmp.Or(e.IP, e.IP6)
}

// addressOfFamily returns an endpoint's address of the family of like; invalid if it has none.
func addressOfFamily(e *record.Endpoint, like netip.Addr) netip.Addr {
	if like.Is6() {
		return e.IP6
	}
	return e.IP
}

// hasText reports whether an endpoint has the address in a trace's text.
func hasText(e *record.Endpoint, text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && has(e, a)
}

// search resolves a text.
type search struct {
	v     *catalog.View
	field string // of the request: "from" or "to"
	text  string
	kind  string // "" for any
	near  string // tenant of the other end; "" for any
	q     model.WhyRequest
}

// nearest reduces candidates to those of the other end's tenant, if there are any. An address there means only what that tenant has at it,
// or an external address.
func (s *search) nearest(found []candidate) []candidate {
	if s.near == "" {
		return found
	}
	var own, free []candidate
	for _, c := range found {
		switch c.tenant {
		case s.near:
			own = append(own, c)
		case "":
			free = append(free, c)
		}
	}
	_, err := netip.ParseAddr(s.text)
	switch {
	case len(own) > 0:
		return own
	case err == nil && s.kind != kindEndpoint && s.kind != kindService:
		return free
	}
	return found
}

func (s *search) wants(kind string) bool { return s.kind == "" || s.kind == kind }

func (s *search) admits(tenant, network string) bool {
	return (s.q.Tenant == "" || tenant == s.q.Tenant) && (s.q.Network == "" || network == "" || network == s.q.Network)
}

// scoped reports whether the text names an object name of a tenant: as "name", as its key "tenant:name", or as "name:tenant", which is the
// form in records.
func (s *search) scoped(name, tenant string) bool {
	return s.text == name || s.text == identity.Join(tenant, name) || s.text == identity.Join(name, tenant)
}

func (s *search) exact() []candidate {
	out := s.endpoints(func(e *record.Endpoint) bool {
		return e.ID.String() == s.text || e.Called(s.text) || isPod(e, s.text)
	})
	if a, err := netip.ParseAddr(s.text); err == nil && (s.wants(kindEndpoint) || s.wants(kindAddress)) {
		for _, c := range s.all(func(e *record.Endpoint) bool { return has(e, a) }) {
			c.end.address, c.end.explicit = a, true
			out = append(out, c)
		}
	}
	for _, g := range s.v.Groups("") {
		if s.wants(kindGroup) && s.scoped(g.ID.Name, g.ID.Tenant) && s.admits(g.ID.Tenant, g.Network.Name) {
			out = append(out, candidate{kindGroup, g.ID.String(), g.ID.Tenant, end{}})
		}
	}
	for _, t := range s.v.Objects(model.KindTenant()) {
		for _, l := range s.v.ServiceLBs(t.ObjectKey()) {
			if s.wants(kindService) && (s.scoped(l.ID.Name, l.ID.Tenant) || s.text == l.IP.String()) && s.admits(l.ID.Tenant, l.Network.Name) {
				out = append(out, candidate{kindService, l.ID.String(), l.ID.Tenant, end{service: l, address: l.IP}})
			}
		}
	}
	if len(out) == 0 { // a service with the name of a pod is service/NAMESPACE/NAME
		out = append(out, s.kubernetesServices()...)
	}
	for _, h := range s.v.Hosts() {
		if a := h.Control.Addr(); a.IsValid() && s.wants(kindHost) && (s.text == h.Label || s.text == a.String()) {
			e := end{address: a}
			e.kube, e.tenant = s.nodePort()
			if e.kube != nil {
				e.node = h.Label
			}
			out = append(out, candidate{kindHost, h.Label, e.tenant, e})
		}
	}
	return out
}

// partial matches parts of containers' names, as netctl inspect endpoint does.
func (s *search) partial() []candidate {
	if _, err := netip.ParseAddr(s.text); err == nil || s.text == "" {
		return nil
	}
	return s.endpoints(func(e *record.Endpoint) bool {
		return e.Holds(s.text)
	})
}

func (s *search) endpoints(is func(*record.Endpoint) bool) []candidate {
	if !s.wants(kindEndpoint) {
		return nil
	}
	return s.all(is)
}

func (s *search) all(is func(*record.Endpoint) bool) (out []candidate) {
	for m := range s.v.Members {
		e := m.Endpoint
		if tenant := e.ID.Tenant; is(e) && s.admits(tenant, e.ID.Name) {
			out = append(out, candidate{kindEndpoint, e.ID.String(), tenant, end{endpoint: e, tenant: tenant, address: addressOf(e)}})
		}
	}
	return out
}

// has reports whether an endpoint has an address.
func has(e *record.Endpoint, a netip.Addr) bool {
	return a.IsValid() && (e.IP == a || e.IP6 == a)
}

// Find resolves a name, for an end that talks to one of the tenant near; "" is any. field names it in errors; of q the tenant and network
// count.
func (a *Explainer) Find(field, name, near string, q model.WhyRequest) (model.WhyEnd, error) {
	var e end
	var err error
	a.catalog.View(func(v *catalog.View) { e, err = find(v, field, name, near, q) })
	return e.shown(), err
}
