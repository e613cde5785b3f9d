// Package ownership says whose an address is by the records of a cluster, and so what somebody else's claim to it is worth: of a host that reports an
// address as its own, and of a service that borrows one. It computes only.
package ownership

import (
	"iter"
	"net/netip"

	"github.com/contiv/contiv/daemon/record"
)

// Facts are the records that say whose addresses are. A nil sequence is an empty one; each is read with every question.
type Facts struct {
	Hosts    iter.Seq[*record.Host]
	Masters  iter.Seq[*record.Service] // netmasters
	Networks iter.Seq[*record.Network] // of all tenants that are known
	Nodes    iter.Seq[*record.KubernetesNode]
	API      iter.Seq[*record.EndpointSlice] // where the API server of Kubernetes listens
	Services iter.Seq2[netip.Addr, string]   // addresses that services own, and these in words
	Ends     iter.Seq2[netip.Addr, string]   // further tunnel ends, and their hosts
	Private  []netip.Prefix                  // by which hosts and containers meet
	// AtNodes are the services of Kubernetes that have a port at every node (NodePort).
	AtNodes func(protocol uint8, port uint16) iter.Seq[*record.KubernetesService]
}

// each is a sequence, or an empty one for nil.
func each[V any](of iter.Seq[V]) iter.Seq[V] {
	if of == nil {
		return func(func(V) bool) {}
	}
	return of
}

func each2[K, V any](of iter.Seq2[K, V]) iter.Seq2[K, V] {
	if of == nil {
		return func(func(K, V) bool) {}
	}
	return of
}

// network is the network that gives an address out, in words; "" when none does.
func network(all []*record.Network, a netip.Addr) string {
	for _, n := range all {
		if n.Subnet.Contains(a) && (n.Addresses.Contains(a) || n.Gateway == a) || n.Subnet6.Contains(a) {
			return "network " + n.ID.String()
		}
	}
	return ""
}

// master is whether a netmaster serves at an address.
func master(m *record.Service, a netip.Addr) bool {
	own, err := netip.ParseAddr(m.HostAddr)
	return err == nil && own.Unmap() == a
}
