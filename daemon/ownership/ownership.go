// SPDX-License-Identifier: Apache-2.0

// Package ownership determines the owner of an address from the records of a cluster, and so the value of another's claim to it: of a host
// that reports an address as its own, and of a service that borrows one. It only computes.
package ownership

import (
	"iter"
	"net/netip"

	"github.com/contiv/contiv/daemon/record"
)

// Facts are the records that determine owners of addresses. A nil sequence is an empty one; each is read with every query.
type Facts struct {
	Hosts    iter.Seq[*record.Host]
	Masters  iter.Seq[*record.Service] // netmasters
	Networks iter.Seq[*record.Network] // of all known tenants
	Nodes    iter.Seq[*record.KubernetesNode]
	API      iter.Seq[*record.EndpointSlice] // addresses of the API server of Kubernetes
	Services iter.Seq2[netip.Addr, string]   // addresses that services own, with a description
	Ends     iter.Seq2[netip.Addr, string]   // further tunnel ends, and their hosts
	Private  []netip.Prefix                  // between hosts and containers
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

// network describes the network that allocates an address; "" if none does.
func network(all []*record.Network, a netip.Addr) string {
	for _, n := range all {
		if n.Subnet.Contains(a) && (n.Addresses.Contains(a) || n.Gateway == a) || n.Subnet6.Contains(a) {
			return "network " + n.ID.String()
		}
	}
	return ""
}

// master reports whether a netmaster serves at an address.
func master(m *record.Service, a netip.Addr) bool {
	own, err := netip.ParseAddr(m.HostAddr)
	return err == nil && own.Unmap() == a
}
