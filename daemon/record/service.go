// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/identity"
)

// ServiceLB is a service with its address, at ServiceLBs+ID. It owns the address.
type ServiceLB struct {
	ID        identity.Service
	Network   identity.Network // that the address comes from
	Ports     []string         // "servicePort:providerPort:PROTOCOL", the protocol TCP or UDP
	Selectors map[string]string
	IP        netip.Addr
	Affinity  string // AffinityNone, or empty: a client keeps its provider
}

// AffinityNone directs every connection to a service by itself.
const AffinityNone = "none"

// serviceLBJSON is a ServiceLB as it is stored.
type serviceLBJSON struct {
	ID          string            `json:"id"` // "service:tenant"
	ServiceName string            `json:"servicename"`
	Tenant      string            `json:"tenantname"`
	Network     string            `json:"subnet"` // name of the network, the original's key
	Ports       []string          `json:"ports"`
	Selectors   map[string]string `json:"selectors"`
	IPAddress   netip.Addr        `json:"ipaddress"`
	Affinity    string            `json:"affinity,omitempty"`
}

// MarshalJSON encodes the stored form.
func (s ServiceLB) MarshalJSON() ([]byte, error) {
	return json.Marshal(&serviceLBJSON{ID: s.ID.Reversed(), ServiceName: s.ID.Name, Tenant: s.ID.Tenant, Network: s.Network.Name, Ports: s.Ports,
		Selectors: s.Selectors, IPAddress: s.IP, Affinity: s.Affinity})
}

// UnmarshalJSON decodes the stored form.
func (s *ServiceLB) UnmarshalJSON(text []byte) error {
	var t serviceLBJSON
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	if t.Tenant == "" || t.ServiceName == "" || t.IPAddress.Zone() != "" {
		return fmt.Errorf("it names no tenant, no service, or no IP address")
	}
	*s = ServiceLB{ID: identity.Service{Tenant: t.Tenant, Name: t.ServiceName}, Network: identity.Network{Tenant: t.Tenant, Name: t.Network},
		Ports: t.Ports, Selectors: t.Selectors, IP: t.IPAddress.Unmap(), Affinity: t.Affinity}
	return nil
}

// Selects reports whether a container with these labels is a provider: they contain every selector.
func (s *ServiceLB) Selects(labels map[string]string) bool {
	for key, value := range s.Selectors {
		if have, ok := labels[key]; !ok || have != value {
			return false
		}
	}
	return len(s.Selectors) > 0
}

// Provider is the list of a service's providers, at Providers+ID. Every service has one.
type Provider struct {
	ID        identity.Service
	Addresses []netip.Addr // in order, each once
}

// providerJSON is a Provider as it is stored.
type providerJSON struct {
	ID          string       `json:"id"` // "service:tenant"
	ServiceName string       `json:"ServiceName"`
	Providers   []netip.Addr `json:"Providers"`
}

// MarshalJSON encodes the stored form.
func (p Provider) MarshalJSON() ([]byte, error) {
	return json.Marshal(&providerJSON{ID: p.ID.Reversed(), ServiceName: p.ID.Reversed(), Providers: p.Addresses})
}

// UnmarshalJSON decodes the stored form.
func (p *Provider) UnmarshalJSON(text []byte) error {
	var t providerJSON
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	id, err := identity.ParseReversedService(t.ID)
	if err != nil || id.IsZero() {
		return fmt.Errorf("id %q is not of the form service:tenant", t.ID)
	}
	*p = Provider{ID: id}
	for _, a := range t.Providers {
		if !a.IsValid() || a.Zone() != "" {
			return fmt.Errorf("provider %q is not an IP address", a)
		}
		p.Addresses = append(p.Addresses, a.Unmap())
	}
	slices.SortFunc(p.Addresses, netip.Addr.Compare) // earlier builds ordered the texts
	p.Addresses = slices.Compact(p.Addresses)
	return nil
}
