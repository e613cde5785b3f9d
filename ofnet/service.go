package ofnet

import (
	"net/netip"
	"slices"
	"strconv"
)

// Service is an address of a tenant behind which backends share the load. Whoever opens a connection to one of its ports
// is led to a backend, which sees the client's own address; rules judge the connection as one to the backend.
//
// A Service in a State is not changed; another takes its place.
type Service struct {
	Name     string     // "service:tenant"
	Tenant   string     // a key of State.Tenants
	Address  netip.Addr // no one else in the tenant has it
	Ports    []ServicePort
	Backends []netip.Addr // of Address's family, ordered, each once; none: connections are dropped
	// Affinity leads a client to one backend every time, while the backends stay the same; else each connection is led
	// for itself.
	Affinity bool

	numbers []uint32 // of Ports; see State.SetService
}

// ServicePort is a port of a service, and that of its backends.
type ServicePort struct {
	Protocol     uint8 // ProtocolTCP, ProtocolUDP or ProtocolSCTP
	Port, Target uint16
}

// String is protocol/port, such as tcp/80.
func (p ServicePort) String() string {
	name := map[uint8]string{ProtocolTCP: "tcp", ProtocolUDP: "udp", ProtocolSCTP: "sctp"}[p.Protocol]
	if name == "" {
		name = strconv.Itoa(int(p.Protocol))
	}
	return name + "/" + strconv.Itoa(int(p.Port))
}

// Equal says whether two services say the same.
func (v *Service) Equal(o *Service) bool {
	return v.Name == o.Name && v.Tenant == o.Tenant && v.Address == o.Address && slices.Equal(v.Ports, o.Ports) &&
		slices.Equal(v.Backends, o.Backends) && v.Affinity == o.Affinity
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

// LoadKey is the key that the flow of one counter bears in its cookie.
func (v *Service) LoadKey(p ServicePort, backend netip.Addr, of Load) Key {
	return Key{KindBackend, v.Name + "/" + p.String() + "/" + backend.String() + "/" + string(of)}
}
