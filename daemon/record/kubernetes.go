// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"
	"net/netip"
)

// The keys of the records of Kubernetes' objects: one for each object, written by the leading netmaster if the part that agents need has
// changed, and not if only its status, a lease or a resync does. They are below State, so that the revision of an agent includes them: a
// starting pod waits for the policies and services that its netmaster knew. An object's pods are endpoints.
const (
	Kubernetes = State + "kubernetes/"

	Namespaces             = Kubernetes + "namespace/"            // read by netmaster for its pods' places, by agents for selectors of policies
	NetworkPolicies        = Kubernetes + "networkpolicy/"        // read by agents
	ClusterNetworkPolicies = Kubernetes + "clusternetworkpolicy/" // read by agents
	KubernetesServices     = Kubernetes + "service/"              // read by agents that implement services, and by all for names
	EndpointSlices         = Kubernetes + "endpointslice/"        // read by agents that implement services, and by all for names
	KubernetesNodes        = Kubernetes + "node/"                 // read by agents: a node and its pods always communicate, and traffic stays in its zone
)

// Place is the place of pods according to annotations or labels, each part "" if they do not name it. The keys are PlaceTenant and the
// following.
type Place struct {
	Tenant  string `json:"tenant,omitempty"`
	Network string `json:"network,omitempty"`
	Group   string `json:"group,omitempty"`
}

// Labels of pods, and annotations of namespaces and services, that define a Place.
const (
	PlaceTenant  = "io.contiv.tenant"
	PlaceNetwork = "io.contiv.network"
	PlaceGroup   = "io.contiv.net-group"
)

// PlaceOf reads a Place.
func PlaceOf(labels map[string]string) Place {
	return Place{Tenant: labels[PlaceTenant], Network: labels[PlaceNetwork], Group: labels[PlaceGroup]}
}

// canonical returns an error for an address that has another spelling.
func canonical(field string, addresses ...netip.Addr) error {
	for _, a := range addresses {
		if !a.IsValid() || a.Is4In6() || a.Zone() != "" {
			return fmt.Errorf("%s: %q is not the address of a host", field, a)
		}
	}
	return nil
}

// canonicalPrefix returns an error for a prefix that has another spelling.
func canonicalPrefix(field string, prefixes ...netip.Prefix) error {
	for _, p := range prefixes {
		if !p.IsValid() || p.Addr().Is4In6() || p != p.Masked() {
			return fmt.Errorf("%s: %q is not the prefix of a network", field, p)
		}
	}
	return nil
}
