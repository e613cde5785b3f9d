// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// Service is one or several addresses of a tenant behind which backends share the load. A connection to one of its ports is directed to a
// backend, which sees the client's own address; rules judge the connection as one to the backend.
//
// A Service in a State is never modified, only replaced.
type Service struct {
	Name   string // "tenant:service"
	Tenant string // a key of State.Tenants
	// Cluster are the addresses for clients within the cluster, and External those for clients outside as well: of both families, ordered.
	// Services may share an address of External and differ in ports; if several have the same port there, the first by name gets the
	// connections.
	Cluster, External []netip.Addr
	// Borrowed are addresses of External that belong to something else: the service only has its ports there, and none if another service
	// of the tenant has the address as its own.
	Borrowed []netip.Addr
	Ports    []ServicePort
	// Affinity directs a client to the same backend every time; otherwise each connection is directed by itself.
	Affinity Affinity
	// ClusterLocal directs clients on a host only to backends of that host if they use an address of Cluster; ExternalLocal does the same
	// for clients outside and the host at which they arrive.
	ClusterLocal, ExternalLocal bool
	// Guarded are addresses of External that only clients of Sources may use; packets of others are dropped. Both are ordered. If Sources
	// has none of a family, all packets of the family are dropped.
	Guarded []netip.Addr
	Sources []netip.Prefix

	numbers []uint32 // of Ports, in IPv4 and in IPv6; see State.SetService
}

// Affinity is how long a client keeps its backend. The zero Affinity applies to one connection only.
type Affinity struct {
	Client bool
	// Timeout is how long after its last connection a client is remembered, to the second; 0: clients are not remembered, and a client's
	// address selects its backend as long as the backends stay the same.
	Timeout time.Duration
}

// ServicePort is a port of a service, with its backends.
type ServicePort struct {
	Name     string // "" when it has none
	Protocol uint8  // ProtocolTCP, ProtocolUDP or ProtocolSCTP
	Port     uint16
	NodePort uint16    // at which every host accepts connections for it; 0: none
	Backends []Backend // ordered by Compare, each once; none: connections are refused
}

// Backend is a provider of a port of a service.
type Backend struct {
	Addr   netip.Addr
	Target uint16 // its own port
	// Host is the label of the host that has the address; "": it belongs to an endpoint.
	Host string
	// Draining means that the backend serves while it ends: it gets new connections only if all backends are draining.
	Draining bool
	// Far means that it serves clients elsewhere: those on this host have nearer backends.
	Far bool
}

// String is protocol/port, such as tcp/80.
func (p *ServicePort) String() string {
	name := map[uint8]string{ProtocolTCP: "tcp", ProtocolUDP: "udp", ProtocolSCTP: "sctp"}[p.Protocol]
	if name == "" {
		name = strconv.Itoa(int(p.Protocol))
	}
	return name + "/" + strconv.Itoa(int(p.Port))
}

// Compare orders backends by address, and those of one address by their ports.
func (b Backend) Compare(o Backend) int {
	return cmp.Or(b.Addr.Compare(o.Addr), cmp.Compare(b.Target, o.Target))
}

// Has reports whether an address provides the port at a port of its own. It takes logarithmic time.
func (p *ServicePort) Has(a netip.Addr, target uint16) bool {
	_, ok := slices.BinarySearchFunc(p.Backends, Backend{Addr: a, Target: target}, Backend.Compare)
	return ok
}

// Twin reports whether the backend's address provides the port at a lower port of its own, too. It takes logarithmic time.
func (p *ServicePort) Twin(b Backend) bool {
	i, _ := slices.BinarySearchFunc(p.Backends, b, Backend.Compare)
	return i > 0 && p.Backends[i-1].Addr == b.Addr
}

// Equal reports whether two ports are equal.
func (p *ServicePort) Equal(o *ServicePort) bool {
	return p.Name == o.Name && p.Protocol == o.Protocol && p.Port == o.Port && p.NodePort == o.NodePort && slices.Equal(p.Backends, o.Backends)
}

// Equal reports whether two services are equal.
func (v *Service) Equal(o *Service) bool {
	return v.Name == o.Name && v.Tenant == o.Tenant && slices.Equal(v.Cluster, o.Cluster) && slices.Equal(v.External, o.External) && slices.Equal(v.Borrowed, o.Borrowed) &&
		slices.EqualFunc(v.Ports, o.Ports, func(a, b ServicePort) bool { return a.Equal(&b) }) && v.Affinity == o.Affinity &&
		v.ClusterLocal == o.ClusterLocal && v.ExternalLocal == o.ExternalLocal && slices.Equal(v.Guarded, o.Guarded) && slices.Equal(v.Sources, o.Sources)
}

// Addresses returns all addresses of the service, those within the cluster first.
func (v *Service) Addresses() []netip.Addr { return slices.Concat(v.Cluster, v.External) }

// Borrows reports whether an address of the service belongs to something else.
func (v *Service) Borrows(a netip.Addr) bool { return slices.Contains(v.Borrowed, a) }

// Port returns the port of a protocol and number, or nil.
func (v *Service) Port(protocol uint8, port uint16) *ServicePort {
	for i := range v.Ports {
		if p := &v.Ports[i]; p.Protocol == protocol && p.Port == port {
			return p
		}
	}
	return nil
}

// Key is the service's key.
func (v *Service) Key() Key { return Key{KindService, v.Name} }

// Load is the kind of a service's counter.
type Load string

// The counters of one backend behind one port of a service, on the clients' hosts: connections directed to it, all packets of clients to
// it, and those of its answers.
const (
	LoadOpened Load = "opened"
	LoadTo     Load = "to"
	LoadFrom   Load = "from"
)

// LoadKey is the key in the cookie of the flow with one counter. It names the backend by its address, and a Twin by its port as well.
func (v *Service) LoadKey(p *ServicePort, backend Backend, of Load) Key {
	name := backend.Addr.String()
	if p.Twin(backend) {
		name = netip.AddrPortFrom(backend.Addr, backend.Target).String()
	}
	return Key{KindBackend, v.Name + "/" + p.String() + "/" + name + "/" + string(of)}
}
