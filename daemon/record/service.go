package record

import "strings"

// ServiceLB is a service with its address, at ServiceLBs+"service:tenant". It owns the address.
type ServiceLB struct {
	ID          string            `json:"id"` // "service:tenant"
	ServiceName string            `json:"servicename"`
	Tenant      string            `json:"tenantname"`
	Network     string            `json:"subnet"` // name of the network that the address comes from, as the original called it
	Ports       []string          `json:"ports"`  // "servicePort:providerPort:PROTOCOL", the protocol TCP or UDP
	Selectors   map[string]string `json:"selectors"`
	IPAddress   string            `json:"ipaddress"`
	Affinity    string            `json:"affinity,omitempty"` // AffinityNone, or empty: a client keeps its provider
}

// AffinityNone leads every connection to a service for itself.
const AffinityNone = "none"

// ServiceOf is the "tenant:service" that operators know of an id "service:tenant".
func ServiceOf(id string) string {
	name, tenant, _ := strings.Cut(id, ":")
	return tenant + ":" + name
}

// NetID is the state id of the service's network.
func (s *ServiceLB) NetID() string { return s.Network + "." + s.Tenant }

// Selects tells whether a container with these labels is a provider: they contain every selector.
func (s *ServiceLB) Selects(labels map[string]string) bool {
	for key, value := range s.Selectors {
		if have, ok := labels[key]; !ok || have != value {
			return false
		}
	}
	return len(s.Selectors) > 0
}

// Provider is the list of a service's providers, at Providers+"service:tenant". There is one for every service.
type Provider struct {
	ID          string   `json:"id"`
	ServiceName string   `json:"ServiceName"` // "service:tenant"
	Providers   []string `json:"Providers"`   // IPv4 addresses, ordered
}
