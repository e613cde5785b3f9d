package ofnet

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// Service is one or several addresses of a tenant behind which backends share the load. Whoever opens a connection to one of its
// ports is led to a backend, which sees the client's own address; rules judge the connection as one to the backend.
//
// A Service in a State is not changed; another takes its place.
type Service struct {
	Name   string // "tenant:service"
	Tenant string // a key of State.Tenants
	// Cluster are the addresses for clients within the cluster, and External those for clients outside as well: of both families, ordered.
	// Services may share one of External and differ in ports; of a port that several have there, the first by name takes the connections.
	Cluster, External []netip.Addr
	// Borrowed are addresses of External that are someone else's: the service has its ports there and nothing besides, and none where another service of the
	// tenant has the address as its own.
	Borrowed []netip.Addr
	Ports    []ServicePort
	// Affinity leads a client to one backend every time; else each connection is led for itself.
	Affinity Affinity
	// ClusterLocal leads clients on a host to backends of that host alone, when they come by an address of Cluster; ExternalLocal does the same
	// with clients outside and the host at which they arrive.
	ClusterLocal, ExternalLocal bool
	// Guarded are addresses of External by which only clients of Sources come; others' packets are dropped. Both are ordered. Of a family in
	// which there is no source, all are dropped.
	Guarded []netip.Addr
	Sources []netip.Prefix

	numbers []uint32 // of Ports, in IPv4 and in IPv6; see State.SetService
}

// Affinity says how long a client keeps its backend. The zero Affinity is for a connection alone.
type Affinity struct {
	Client bool
	// Timeout is how long after its last connection a client is remembered, to the second; 0: no one is remembered, a client's address says
	// which backend it gets for as long as the backends stay the same.
	Timeout time.Duration
}

// ServicePort is a port of a service, and who provides it.
type ServicePort struct {
	Name     string // "" when it has none
	Protocol uint8  // ProtocolTCP, ProtocolUDP or ProtocolSCTP
	Port     uint16
	NodePort uint16    // at which every host takes connections for it; 0: none
	Backends []Backend // ordered by Compare, each once; none: connections are refused
}

// Backend is who provides a port of a service.
type Backend struct {
	Addr   netip.Addr
	Target uint16 // its own port
	// Host is the label of the host whose own address it is; "": it is that of an endpoint, which says where it is.
	Host string
	// Draining serves while it ends: it gets new connections only when no backend does that is not.
	Draining bool
	// Far is for clients elsewhere: those on this host have nearer ones.
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

// Twin reports whether the backend's address provides the port at a lesser port of its own, too. It takes logarithmic time.
func (p *ServicePort) Twin(b Backend) bool {
	i, _ := slices.BinarySearchFunc(p.Backends, b, Backend.Compare)
	return i > 0 && p.Backends[i-1].Addr == b.Addr
}

// Equal says whether two ports say the same.
func (p *ServicePort) Equal(o *ServicePort) bool {
	return p.Name == o.Name && p.Protocol == o.Protocol && p.Port == o.Port && p.NodePort == o.NodePort && slices.Equal(p.Backends, o.Backends)
}

// Equal says whether two services say the same.
func (v *Service) Equal(o *Service) bool {
	return v.Name == o.Name && v.Tenant == o.Tenant && slices.Equal(v.Cluster, o.Cluster) && slices.Equal(v.External, o.External) && slices.Equal(v.Borrowed, o.Borrowed) &&
		slices.EqualFunc(v.Ports, o.Ports, func(a, b ServicePort) bool { return a.Equal(&b) }) && v.Affinity == o.Affinity &&
		v.ClusterLocal == o.ClusterLocal && v.ExternalLocal == o.ExternalLocal && slices.Equal(v.Guarded, o.Guarded) && slices.Equal(v.Sources, o.Sources)
}

// Addresses are all addresses of the service, those within the cluster first.
func (v *Service) Addresses() []netip.Addr { return slices.Concat(v.Cluster, v.External) }

// Borrows reports whether an address of the service is someone else's.
func (v *Service) Borrows(a netip.Addr) bool { return slices.Contains(v.Borrowed, a) }

// Port is the port of a protocol and number; nil when the service has none.
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

// Load is what a counter of a service counts.
type Load string

// The counters of one backend behind one port of a service, on the clients' hosts: connections that were led to it, all
// packets of clients to it, and those of its answers.
const (
	LoadOpened Load = "opened"
	LoadTo     Load = "to"
	LoadFrom   Load = "from"
)

// LoadKey is the key that the flow of one counter bears in its cookie. It names the backend by its address, and a Twin by its port as well.
func (v *Service) LoadKey(p *ServicePort, backend Backend, of Load) Key {
	name := backend.Addr.String()
	if p.Twin(backend) {
		name = netip.AddrPortFrom(backend.Addr, backend.Target).String()
	}
	return Key{KindBackend, v.Name + "/" + p.String() + "/" + name + "/" + string(of)}
}
