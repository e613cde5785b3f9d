// SPDX-License-Identifier: Apache-2.0

package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/identity"
)

// KubernetesService is a service of Kubernetes, at KubernetesServices+ID. Its backends are in the EndpointSlices that name it. A service
// that another proxy implements (label service.kubernetes.io/service-proxy-name) has no record.
type KubernetesService struct {
	ID           identity.KubernetesService `json:"id"`
	Type         ServiceType                `json:"type"`
	Headless     bool                       `json:"headless,omitempty"`     // only names: it has no ClusterIPs on purpose
	ExternalName string                     `json:"externalName,omitempty"` // for that type, the target of its name
	Selector     bool                       `json:"selector,omitempty"`     // Kubernetes fills its slices; unset, another component does
	Ports        []ServicePort              `json:"ports,omitempty"`

	ClusterIPs  []netip.Addr `json:"clusterIPs,omitempty"` // at most one per family
	ExternalIPs []netip.Addr `json:"externalIPs,omitempty"`

	LoadBalancerIPs   []netip.Addr   `json:"loadBalancerIPs,omitempty"`   // of its status; not those of a proxy, whose packets have other addresses
	LoadBalancerIP    netip.Addr     `json:"loadBalancerIP,omitzero"`     // requested by it
	LoadBalancerClass string         `json:"loadBalancerClass,omitempty"` // the controller that gives it addresses; "" for the default
	SourceRanges      []netip.Prefix `json:"sourceRanges,omitempty"`      // allowed clients of LoadBalancerIPs; none for any
	Place             Place          `json:"place,omitzero"`              // of its load balancer's address, by its annotations

	AffinitySeconds     int    `json:"affinitySeconds,omitempty"` // how long a client keeps its backend; 0 for no affinity
	InternalLocal       bool   `json:"internalLocal,omitempty"`   // internal traffic goes only to backends of the client's node
	ExternalLocal       bool   `json:"externalLocal,omitempty"`   // external traffic goes only to backends of the node that it reaches
	HealthCheckNodePort uint16 `json:"healthCheckNodePort,omitempty"`
	PublishNotReady     bool   `json:"publishNotReady,omitempty"`
	TrafficDistribution string `json:"trafficDistribution,omitempty"` // such as PreferSameZone; "" for none

	Unread []string `json:"unread,omitempty"` // the parts of the service that are not carried out, and why
}

// ServicePort is a port of a KubernetesService.
type ServicePort struct {
	Name     string `json:"name,omitempty"` // by which SlicePorts belong to it; "" of a single port
	Protocol uint8  `json:"protocol"`       // IP's number
	Port     uint16 `json:"port"`
	NodePort uint16 `json:"nodePort,omitempty"` // of every node's own addresses; 0 for none
}

// ServiceType is how a service is reached.
type ServiceType string

// The types of services.
const (
	ServiceClusterIP    ServiceType = "ClusterIP"
	ServiceNodePort     ServiceType = "NodePort"
	ServiceLoadBalancer ServiceType = "LoadBalancer"
	ServiceExternalName ServiceType = "ExternalName"
)

// Values of traffic distribution. PreferClose is an older name for PreferSameZone.
const (
	PreferClose    = "PreferClose"
	PreferSameZone = "PreferSameZone"
	PreferSameNode = "PreferSameNode"
)

// UnmarshalJSON decodes the stored form.
func (s *KubernetesService) UnmarshalJSON(text []byte) error {
	type plain KubernetesService
	var t plain
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	switch t.Type {
	case ServiceClusterIP, ServiceNodePort, ServiceLoadBalancer, ServiceExternalName:
	default:
		return fmt.Errorf("type %q is none of %s, %s, %s and %s", t.Type, ServiceClusterIP, ServiceNodePort, ServiceLoadBalancer, ServiceExternalName)
	}
	err := cmp.Or(canonical("clusterIPs", t.ClusterIPs...), canonical("externalIPs", t.ExternalIPs...),
		canonical("loadBalancerIPs", t.LoadBalancerIPs...), canonicalPrefix("sourceRanges", t.SourceRanges...))
	if err == nil && t.LoadBalancerIP.IsValid() {
		err = canonical("loadBalancerIP", t.LoadBalancerIP)
	}
	if err != nil {
		return err
	}
	for _, p := range t.Ports {
		if p.Port == 0 {
			return fmt.Errorf("port %q has no number", p.Name)
		}
	}
	*s = KubernetesService(t)
	return nil
}
