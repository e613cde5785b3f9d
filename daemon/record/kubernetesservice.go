package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/identity"
)

// KubernetesService is a service of Kubernetes, at KubernetesServices+ID. Its backends are in the EndpointSlices that name it. A service
// that another proxy carries out (label service.kubernetes.io/service-proxy-name) has no record.
type KubernetesService struct {
	ID           identity.KubernetesService `json:"id"`
	Type         ServiceType                `json:"type"`
	Headless     bool                       `json:"headless,omitempty"`     // names alone: it has no ClusterIPs on purpose
	ExternalName string                     `json:"externalName,omitempty"` // of that type, what its name stands for
	Selector     bool                       `json:"selector,omitempty"`     // Kubernetes fills its slices; unset, somebody else does
	Ports        []ServicePort              `json:"ports,omitempty"`

	ClusterIPs  []netip.Addr `json:"clusterIPs,omitempty"` // one of a family at most
	ExternalIPs []netip.Addr `json:"externalIPs,omitempty"`

	LoadBalancerIPs   []netip.Addr   `json:"loadBalancerIPs,omitempty"`   // of its status; not those of a proxy, whose packets have other addresses
	LoadBalancerIP    netip.Addr     `json:"loadBalancerIP,omitzero"`     // that it asks for
	LoadBalancerClass string         `json:"loadBalancerClass,omitempty"` // who is to give it addresses; "" for the default
	SourceRanges      []netip.Prefix `json:"sourceRanges,omitempty"`      // who may use LoadBalancerIPs; none for any
	Place             Place          `json:"place,omitzero"`              // of its load balancer's address, by its annotations

	AffinitySeconds     int    `json:"affinitySeconds,omitempty"` // how long a client keeps its backend; 0 for no affinity
	InternalLocal       bool   `json:"internalLocal,omitempty"`   // internal traffic goes to backends of the client's node alone
	ExternalLocal       bool   `json:"externalLocal,omitempty"`   // external traffic goes to backends of the node that it reaches alone
	HealthCheckNodePort uint16 `json:"healthCheckNodePort,omitempty"`
	PublishNotReady     bool   `json:"publishNotReady,omitempty"`
	TrafficDistribution string `json:"trafficDistribution,omitempty"` // such as PreferSameZone; "" for none
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

// Ways of distributing traffic. PreferClose is an older word for PreferSameZone.
const (
	PreferClose    = "PreferClose"
	PreferSameZone = "PreferSameZone"
	PreferSameNode = "PreferSameNode"
)

// UnmarshalJSON reads what is stored.
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
