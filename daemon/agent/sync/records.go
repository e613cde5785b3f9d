package sync

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// records is what the store says, decoded, with the indexes that make one change cheap.
type records struct {
	self      string
	hear      []Listener
	global    record.Global
	sum, mark string                     // of global, as it is here and as it is to be; the latter "": nobody says
	tenants   map[string]record.Tenant   // by name
	networks  map[string]record.Network  // by id
	groups    map[string]record.Group    // by id
	rules     map[string]*ofnet.Rule     // by id
	balancers map[string]*ofnet.Service  // by id, without backends
	providers map[string][]netip.Addr    // of services, by id
	endpoints map[string]record.Endpoint // by id
	services  map[string]record.Service  // by key
	strays    map[string]map[string]bool // endpoints by network, whose tenant its record alone tells

	hosts    map[string]*host              // by label
	ofTenant map[string]map[ofnet.Key]bool // networks, groups, rules, services and endpoints of a tenant
	members  map[string]int                // endpoints of a tenant on this host
}

// host is a host as its registrations told; it outlives them while endpoints are on it. Several are left for a while by an agent
// that is killed and comes back with another address, and by two agents of older builds with one label.
type host struct {
	services  []string // keys of its registrations, the newest last; none once all have vanished
	vtep      netip.Addr
	mac       ofnet.MAC
	endpoints map[string]bool
}

// registered reports whether the host is registered.
func (h *host) registered() bool { return len(h.services) > 0 }

func newRecords(self string, hear []Listener) *records {
	return &records{self: self, hear: hear, tenants: map[string]record.Tenant{}, networks: map[string]record.Network{},
		groups: map[string]record.Group{}, rules: map[string]*ofnet.Rule{}, balancers: map[string]*ofnet.Service{},
		providers: map[string][]netip.Addr{}, endpoints: map[string]record.Endpoint{}, services: map[string]record.Service{},
		strays: map[string]map[string]bool{}, hosts: map[string]*host{}, ofTenant: map[string]map[ofnet.Key]bool{}, members: map[string]int{}}
}

// torn says whether the configuration is not the one that belongs to the other records: it comes by a watch of its own.
func (r *records) torn() bool { return r.mark != "" && r.mark != r.sum }

// decode reads the JSON object at a key and checks that it bears the name that the key says.
func decode[T any](key, prefix string, value []byte, id func(*T) string) (name string, v T, err error) {
	name = strings.TrimPrefix(key, prefix)
	if err := json.Unmarshal(value, &v); err != nil {
		return name, v, fmt.Errorf("record %s: %w", key, err)
	}
	if got := id(&v); got != name {
		return name, v, fmt.Errorf("record %s: it calls itself %q", key, got)
	}
	return name, v, nil
}

// put takes over the record at key and returns the objects that it may change. A record that cannot be read is an
// error, and what was known of it stays; a rule that may have been meant to deny something denies all. Keys that are not records of ours are ignored.
func (r *records) put(key string, value []byte) ([]ofnet.Key, error) {
	switch {
	case key == record.GlobalKey:
		var g record.Global
		if err := json.Unmarshal(value, &g); err != nil {
			return nil, fmt.Errorf("record %s: %w", key, err)
		}
		r.global, r.sum = g, record.Sum(value)
		// This host stands for itself: its switch may change though nothing else does.
		return append(r.all(ofnet.KindSegment), ofnet.Key{Kind: ofnet.KindHost, Name: r.self}), nil
	case key == record.GlobalMark:
		var m record.Mark
		if err := json.Unmarshal(value, &m); err != nil {
			return nil, fmt.Errorf("record %s: %w", key, err)
		}
		r.mark = m.Sum
		return nil, nil
	case strings.HasPrefix(key, record.Tenants):
		name, v, err := decode(key, record.Tenants, value, func(t *record.Tenant) string { return t.Tenant })
		if err == nil && (v.VRF == 0 || v.VRF > 32767) {
			err = fmt.Errorf("record %s: VRF %d is not within 1..32767", key, v.VRF)
		}
		if err != nil {
			return nil, err
		}
		r.tenants[name] = v
		r.tell(func(l Listener) { l.Tenant(name, &v) })
		return r.everythingOf(name), nil
	case strings.HasPrefix(key, record.Networks):
		name, v, err := decode(key, record.Networks, value, func(n *record.Network) string { return n.ID })
		if err == nil {
			_, err = segment(&v, &r.global)
		}
		if err != nil {
			return nil, err
		}
		old := r.networks[name]
		r.networks[name] = v
		r.move(ofnet.Key{Kind: ofnet.KindSegment, Name: name}, old.Tenant, v.Tenant)
		return append(r.gather(name), ofnet.Key{Kind: ofnet.KindTenant, Name: v.Tenant}, ofnet.Key{Kind: ofnet.KindSegment, Name: name}), nil
	case strings.HasPrefix(key, record.Groups):
		name, v, err := decode(key, record.Groups, value, func(g *record.Group) string { return g.ID })
		if err == nil && v.EndpointGroupID <= 0 {
			err = fmt.Errorf("record %s: group number %d is not positive", key, v.EndpointGroupID)
		}
		if err != nil {
			return nil, err
		}
		if _, wrong := profile(&v); wrong != nil {
			err = fmt.Errorf("record %s: its limits are left out: %w", key, wrong)
		}
		old := r.groups[name]
		r.groups[name] = v
		r.move(ofnet.Key{Kind: ofnet.KindGroup, Name: name}, old.TenantName, v.TenantName)
		return []ofnet.Key{{Kind: ofnet.KindGroup, Name: name}}, err
	case strings.HasPrefix(key, record.PolicyRules):
		return r.putRule(key, value)
	case strings.HasPrefix(key, record.ServiceLBs):
		return r.putServiceLB(key, value)
	case strings.HasPrefix(key, record.Providers):
		return r.putProviders(key, value)
	case strings.HasPrefix(key, record.Endpoints):
		name, v, err := decode(key, record.Endpoints, value, func(e *record.Endpoint) string { return e.ID })
		if err == nil {
			_, err = endpoint(&v, 0)
		}
		if err != nil {
			return nil, err
		}
		return r.putEndpoint(name, &v), nil
	case strings.HasPrefix(key, record.Services+record.ServiceAgentVTEP+"/"):
		return r.putService(key, value)
	}
	return nil, r.putTold(key, value)
}

// del forgets the record at key and returns the objects that it may change.
func (r *records) del(key string) []ofnet.Key {
	switch {
	case key == record.GlobalKey:
		return nil // the configuration cannot be withdrawn, only changed
	case key == record.GlobalMark:
		r.mark = ""
		return nil
	case strings.HasPrefix(key, record.Tenants):
		name := strings.TrimPrefix(key, record.Tenants)
		delete(r.tenants, name)
		r.tell(func(l Listener) { l.Tenant(name, nil) })
		return r.everythingOf(name)
	case strings.HasPrefix(key, record.Networks):
		name := strings.TrimPrefix(key, record.Networks)
		k := ofnet.Key{Kind: ofnet.KindSegment, Name: name}
		r.move(k, r.networks[name].Tenant, "")
		delete(r.networks, name)
		return []ofnet.Key{k}
	case strings.HasPrefix(key, record.Groups):
		name := strings.TrimPrefix(key, record.Groups)
		k := ofnet.Key{Kind: ofnet.KindGroup, Name: name}
		r.move(k, r.groups[name].TenantName, "")
		delete(r.groups, name)
		return []ofnet.Key{k}
	case strings.HasPrefix(key, record.PolicyRules):
		return r.setRule(strings.TrimPrefix(key, record.PolicyRules), nil)
	case strings.HasPrefix(key, record.ServiceLBs):
		name := strings.TrimPrefix(key, record.ServiceLBs)
		r.setServiceLB(name, nil)
		r.tell(func(l Listener) { l.Service(name, nil) })
		return serviceKey(name)
	case strings.HasPrefix(key, record.Providers):
		name := strings.TrimPrefix(key, record.Providers)
		delete(r.providers, name)
		return serviceKey(name)
	case strings.HasPrefix(key, record.Endpoints):
		return r.putEndpoint(strings.TrimPrefix(key, record.Endpoints), nil)
	case strings.HasPrefix(key, record.Services+record.ServiceAgentVTEP+"/"):
		return r.delService(key)
	}
	r.delTold(key)
	return nil
}

// complete names the tenant in an endpoint's record of an older build. Its network's record tells when the network's id, which is
// made of both names, does not; as long as that has not come, the endpoint is of no tenant.
func (r *records) complete(v *record.Endpoint) {
	if v.Tenant == "" {
		v.Tenant = v.TenantOf()
	}
	if n, ok := r.networks[v.NetID]; ok && v.Tenant == "" {
		v.Tenant = n.Tenant
	}
	if v.Tenant == "" {
		list(r.strays, v.NetID, v.ID)
	}
}

// gather gives the endpoints of a network that has come their tenant.
func (r *records) gather(network string) (out []ofnet.Key) {
	ids := slices.Collect(maps.Keys(r.strays[network]))
	delete(r.strays, network)
	for _, id := range ids {
		if v, ok := r.endpoints[id]; ok && v.Tenant == "" && v.NetID == network {
			out = append(out, r.putEndpoint(id, &v)...)
		}
	}
	return out
}

// putEndpoint replaces an endpoint, or with v nil removes it. A tenant that gets its first member here, or loses its
// last, changes as a whole.
func (r *records) putEndpoint(id string, v *record.Endpoint) []ofnet.Key {
	k := ofnet.Key{Kind: ofnet.KindEndpoint, Name: id}
	out := []ofnet.Key{k}
	if v != nil {
		r.complete(v)
	}
	r.tell(func(l Listener) { l.Endpoint(id, v) })
	old, had := r.endpoints[id]
	before := map[string]bool{}
	var tenants, hosts []string
	if had {
		tenants, hosts = append(tenants, old.Tenant), append(hosts, old.HomingHost)
	}
	if v != nil {
		tenants, hosts = append(tenants, v.Tenant), append(hosts, v.HomingHost)
	}
	for _, t := range tenants {
		before[t] = r.present(t)
	}
	if had {
		delete(r.host(old.HomingHost).endpoints, id)
		r.count(&old, -1)
		delete(r.endpoints, id)
		r.move(k, old.Tenant, "")
		if old.Tenant == "" && v == nil {
			unlist(r.strays, old.NetID, id)
		}
	}
	if v != nil {
		r.endpoints[id] = *v
		h := r.host(v.HomingHost)
		h.endpoints[id] = true
		if vtep, err := netip.ParseAddr(v.VtepIP); err == nil && !h.vtep.IsValid() {
			h.vtep = vtep
		}
		r.count(v, 1)
		r.move(k, "", v.Tenant)
	}
	for _, t := range tenants {
		if r.present(t) != before[t] {
			out = append(out, r.everythingOf(t)...)
		}
	}
	for _, label := range hosts {
		out = append(out, ofnet.Key{Kind: ofnet.KindHost, Name: label})
	}
	return out
}

// putService takes over a registration. Of several of one host the one that was put last counts: it is put in the order of revisions.
func (r *records) putService(key string, value []byte) ([]ofnet.Key, error) {
	var s record.Service
	if err := json.Unmarshal(value, &s); err != nil {
		return nil, fmt.Errorf("record %s: %w", key, err)
	}
	vtep, mac, err := tunnelEnd(&s)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", key, err)
	}
	var out []ofnet.Key
	if old, ok := r.services[key]; ok && old.Hostname != s.Hostname {
		out = r.delService(key)
	}
	r.services[key] = s
	h := r.host(s.Hostname)
	h.services = append(without(h.services, key), key)
	h.vtep, h.mac = vtep, mac
	return append(out, ofnet.Key{Kind: ofnet.KindHost, Name: s.Hostname}), nil
}

// tunnelEnd is where a registration says that a host's tunnels end, and the MAC address of its uplink.
func tunnelEnd(s *record.Service) (vtep netip.Addr, mac ofnet.MAC, err error) {
	vtep, err = netip.ParseAddr(s.HostAddr)
	if err != nil || s.Hostname == "" {
		return vtep, mac, fmt.Errorf("want a host name and an IP address, got %q and %q", s.Hostname, s.HostAddr)
	}
	if s.UplinkMAC != "" {
		hw, err := net.ParseMAC(s.UplinkMAC)
		if err != nil || len(hw) != len(mac) {
			return vtep, mac, fmt.Errorf("%q is not a MAC address", s.UplinkMAC)
		}
		copy(mac[:], hw)
	}
	return vtep, mac, nil
}

// delService notes that a host's registration has vanished. That is a sign of life missing, not a decision: the host's
// endpoints, and where to find it, stay; only when another registration is left, that counts now.
func (r *records) delService(key string) []ofnet.Key {
	s, ok := r.services[key]
	if !ok {
		return nil
	}
	delete(r.services, key)
	h := r.host(s.Hostname)
	h.services = without(h.services, key)
	if n := len(h.services); n > 0 {
		left := r.services[h.services[n-1]]
		h.vtep, h.mac, _ = tunnelEnd(&left) // putService has taken it, so it can be read
	}
	return []ofnet.Key{{Kind: ofnet.KindHost, Name: s.Hostname}}
}

func without(keys []string, key string) []string {
	return slices.DeleteFunc(keys, func(other string) bool { return other == key })
}

func (r *records) host(label string) *host {
	h := r.hosts[label]
	if h == nil {
		h = &host{endpoints: map[string]bool{}}
		r.hosts[label] = h
	}
	return h
}

// present reports whether the tenant has a member on this host; the switch needs to know of no others.
func (r *records) present(tenant string) bool { return r.members[tenant] > 0 }

func (r *records) count(ep *record.Endpoint, by int) {
	if ep.HomingHost != r.self {
		return
	}
	t := ep.Tenant
	if r.members[t] += by; r.members[t] == 0 {
		delete(r.members, t)
	}
}

// move changes the tenant under which a key is listed.
func (r *records) move(k ofnet.Key, from, to string) {
	if from != "" {
		unlist(r.ofTenant, from, k)
	}
	if to != "" {
		list(r.ofTenant, to, k)
	}
}

// everythingOf names the tenant and all that is its own.
func (r *records) everythingOf(tenant string) []ofnet.Key {
	out := []ofnet.Key{{Kind: ofnet.KindTenant, Name: tenant}}
	for k := range r.ofTenant[tenant] {
		out = append(out, k)
	}
	return out
}

// private is the subnet between hosts and endpoints.
func (r *records) private() netip.Prefix {
	const length = 16
	if p, err := netip.ParsePrefix(r.global.PvtSubnet); err == nil && p.Addr().Is4() && p.Bits() == length {
		return p.Masked()
	}
	return ofnet.DefaultPrivate()
}

func (r *records) all(kind ofnet.Kind) []ofnet.Key {
	var out []ofnet.Key
	for _, keys := range r.ofTenant {
		for k := range keys {
			if k.Kind == kind {
				out = append(out, k)
			}
		}
	}
	return out
}

func list[K, V comparable](index map[K]map[V]bool, k K, v V) {
	if index[k] == nil {
		index[k] = map[V]bool{}
	}
	index[k][v] = true
}

func unlist[K, V comparable](index map[K]map[V]bool, k K, v V) {
	delete(index[k], v)
	if len(index[k]) == 0 {
		delete(index, k)
	}
}
