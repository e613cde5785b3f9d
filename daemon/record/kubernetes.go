package record

import (
	"fmt"
	"net/netip"
)

// Where the records of what Kubernetes has are: one for each object, written by the leading netmaster when what agents need of the object
// differs, and not when its status, a lease or a resync tells of it. They lie below State, so that the revision up to which an agent is there
// speaks of them too: a pod that starts waits for the policies and services that its netmaster knew of. An object's pods are endpoints.
const (
	Kubernetes = State + "kubernetes/"

	Namespaces             = Kubernetes + "namespace/"            // read by netmaster for its pods' places, by agents for selectors of policies
	NetworkPolicies        = Kubernetes + "networkpolicy/"        // read by agents
	ClusterNetworkPolicies = Kubernetes + "clusternetworkpolicy/" // read by agents
	KubernetesServices     = Kubernetes + "service/"              // read by agents that carry services out, and by all for names
	EndpointSlices         = Kubernetes + "endpointslice/"        // read by agents that carry services out, and by all for names
	KubernetesNodes        = Kubernetes + "node/"                 // read by agents: a node and its pods always meet, and traffic stays in its zone
)

// Place is what annotations or labels say of where pods belong, each "" where they do not say. The keys are PlaceTenant and the following.
type Place struct {
	Tenant  string `json:"tenant,omitempty"`
	Network string `json:"network,omitempty"`
	Group   string `json:"group,omitempty"`
}

// Labels of pods, and annotations of namespaces and services, that a Place is read of.
const (
	PlaceTenant  = "io.contiv.tenant"
	PlaceNetwork = "io.contiv.network"
	PlaceGroup   = "io.contiv.net-group"
)

// PlaceOf reads a Place.
func PlaceOf(labels map[string]string) Place {
	return Place{Tenant: labels[PlaceTenant], Network: labels[PlaceNetwork], Group: labels[PlaceGroup]}
}

// canonical complains of an address that may be written in another way too.
func canonical(field string, addresses ...netip.Addr) error {
	for _, a := range addresses {
		if !a.IsValid() || a.Is4In6() || a.Zone() != "" {
			return fmt.Errorf("%s: %q is not the address of a host", field, a)
		}
	}
	return nil
}

// canonicalPrefix complains of a prefix that may be written in another way too.
func canonicalPrefix(field string, prefixes ...netip.Prefix) error {
	for _, p := range prefixes {
		if !p.IsValid() || p.Addr().Is4In6() || p != p.Masked() {
			return fmt.Errorf("%s: %q is not the prefix of a network", field, p)
		}
	}
	return nil
}
