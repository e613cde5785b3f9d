// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/identity"
)

// EndpointSlice has some of the backends of a KubernetesService, at EndpointSlices+ID. Slices that belong to no service, or whose addresses
// are names, have no record.
type EndpointSlice struct {
	ID        identity.EndpointSlice `json:"id"`
	Service   string                 `json:"service"`            // its name; the namespace is the slice's
	Headless  bool                   `json:"headless,omitempty"` // label service.kubernetes.io/headless: only names, whatever the service is
	Ports     []SlicePort            `json:"ports,omitempty"`
	Endpoints []SliceEndpoint        `json:"endpoints,omitempty"` // of one family
}

// SlicePort is a port of all backends of a slice: the target of the ServicePort of that name.
type SlicePort struct {
	Name     string `json:"name,omitempty"`
	Protocol uint8  `json:"protocol"` // IP's number
	Port     uint16 `json:"port"`
}

// SliceEndpoint is a backend.
type SliceEndpoint struct {
	Address  netip.Addr    `json:"address"`
	State    EndpointState `json:"state,omitempty"`
	Hostname string        `json:"hostname,omitempty"` // its name in a headless service
	Node     string        `json:"node,omitempty"`     // "" if it is on none
	Zone     string        `json:"zone,omitempty"`
	ForZones []string      `json:"forZones,omitempty"` // zones whose clients should use it, as Kubernetes hints; none for any
	ForNodes []string      `json:"forNodes,omitempty"`
	Pod      identity.Pod  `json:"pod,omitzero"` // zero if it is no pod
	// Lost means that an endpoint other than this pod's has the address. The backend then counts as not ready, whatever Kubernetes reports.
	Lost bool `json:"lost,omitempty"`
}

// EndpointState is the current state of a backend.
type EndpointState string

// The states. Traffic goes to backends that are ready, and to those that are draining if none is; for a service that publishes backends
// that are not ready, Kubernetes calls all of them ready.
const (
	EndpointReady    EndpointState = ""         // ready
	EndpointDraining EndpointState = "draining" // serving, but terminating
	EndpointNotReady EndpointState = "notready" // neither
)

// Of returns the service that the slice belongs to.
func (s *EndpointSlice) Of() identity.KubernetesService {
	return identity.KubernetesService{Namespace: s.ID.Namespace, Name: s.Service}
}

// JudgeSlice sets for each backend of a stored slice whether its address is lost, and returns the slice to be stored: the same text if
// nothing changes.
func JudgeSlice(stored []byte, lost func(e *SliceEndpoint) bool) ([]byte, error) {
	type plain EndpointSlice // keeps Kubernetes' states
	var s plain
	if err := json.Unmarshal(stored, &s); err != nil {
		return nil, err
	}
	changed := false
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		if now := lost(e); now != e.Lost {
			e.Lost, changed = now, true
		}
	}
	if !changed {
		return stored, nil
	}
	return json.Marshal(s)
}

// UnmarshalJSON decodes the stored form.
func (s *EndpointSlice) UnmarshalJSON(text []byte) error {
	type plain EndpointSlice
	var t plain
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	for i := range t.Endpoints {
		e := &t.Endpoints[i]
		if err := canonical("endpoints", e.Address); err != nil {
			return err
		}
		if e.Address.Is6() != t.Endpoints[0].Address.Is6() {
			return fmt.Errorf("endpoint %s is of another family than the first", e.Address)
		}
		switch e.State {
		case EndpointReady, EndpointDraining, EndpointNotReady:
		default:
			return fmt.Errorf("state %q of endpoint %s is none of %q, %q and %q", e.State, e.Address, EndpointReady, EndpointDraining, EndpointNotReady)
		}
		if e.Lost {
			e.State = EndpointNotReady
		}
	}
	*s = EndpointSlice(t)
	return nil
}
