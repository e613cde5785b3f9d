// SPDX-License-Identifier: Apache-2.0

package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"unique"

	"github.com/contiv/contiv/identity"
)

// Endpoint is one container interface, at Endpoints+ID.
type Endpoint struct {
	ID          identity.Endpoint
	Group       identity.Group // zero if it has none
	GroupNumber int            // of the group, 0 if it has none
	Service     string         // the group's name as the runtime gave it
	IP, IP6     netip.Addr     // invalid if it has none
	MAC         MAC
	Host        string // label of its host
	IfName      string
	VTEP        netip.Addr // tunnel endpoint address of the host; invalid while unknown
	Labels      map[string]string
	ContainerID string
	CommonName  string // of the pod or container
	Machine     string // that attached it, as in Claim
	// RuntimeID is the runtime's id of the container, if that is not ContainerID: Docker attaches endpoints, and reports only later to
	// which container they belong.
	RuntimeID string
	Aliases   []string // further names of the container on this network
	Pod       Pod      // zero for any other container
	Swarm     bool     // a swarm's manager got the address for it, and decides when it is released
	// DockerNetwork is the id of its Docker network, "" unless its container is Docker's.
	DockerNetwork string
	Bandwidth     Bandwidth // zero without limits of its own
}

// Bandwidth has the rates of one endpoint that its runtime requested, in kbit/s, with the bursts in kbit; 0 for a rate is no limit, for a
// burst one derived from the rate.
type Bandwidth struct {
	Send         uint32 `json:"send,omitempty"`
	SendBurst    uint32 `json:"sendBurst,omitempty"`
	Receive      uint32 `json:"receive,omitempty"`
	ReceiveBurst uint32 `json:"receiveBurst,omitempty"`
}

// endpointJSON is an Endpoint as it is stored.
type endpointJSON struct {
	ID               string            `json:"id"`    // "network.tenant-endpoint"
	NetID            string            `json:"netID"` // "network.tenant"
	EndpointID       string            `json:"endpointID"`
	ServiceName      string            `json:"serviceName,omitempty"`
	EndpointGroupID  int               `json:"endpointGroupId,omitempty"`
	EndpointGroupKey string            `json:"endpointGroupKey,omitempty"` // "group:tenant"
	IPAddress        string            `json:"ipAddress"`
	IPv6Address      string            `json:"ipv6Address,omitempty"`
	MacAddress       MAC               `json:"macAddress"`
	HomingHost       string            `json:"homingHost"`
	IntfName         string            `json:"intfName,omitempty"`
	VtepIP           netip.Addr        `json:"vtepIP,omitzero"`
	Labels           map[string]string `json:"labels,omitempty"`
	ContainerID      string            `json:"containerId,omitempty"`
	EPCommonName     string            `json:"epCommonName,omitempty"`
	RuntimeID        string            `json:"runtimeId,omitempty"`
	Aliases          []string          `json:"aliases,omitempty"`
	Swarm            bool              `json:"swarm,omitempty"`
	DocknetUUID      string            `json:"docknetUUID,omitempty"`
	Machine          string            `json:"machine,omitempty"`
	Tenant           string            `json:"tenant,omitempty"` // "" in records of the first builds
	Pod              Pod               `json:"pod,omitzero"`
	Bandwidth        Bandwidth         `json:"bandwidth,omitzero"`
}

// MarshalJSON encodes the stored form.
func (e Endpoint) MarshalJSON() ([]byte, error) {
	return json.Marshal(&endpointJSON{ID: LegacyID(e.ID), NetID: e.ID.Network.Dotted(), EndpointID: e.ID.Endpoint, ServiceName: e.Service,
		EndpointGroupID: e.GroupNumber, EndpointGroupKey: e.Group.Reversed(), IPAddress: Text(e.IP), IPv6Address: Text(e.IP6), MacAddress: e.MAC,
		HomingHost: e.Host, IntfName: e.IfName, VtepIP: e.VTEP, Labels: e.Labels, ContainerID: e.ContainerID, EPCommonName: e.CommonName,
		Machine: e.Machine, Tenant: e.ID.Tenant, RuntimeID: e.RuntimeID, Aliases: e.Aliases, Pod: e.Pod, Swarm: e.Swarm,
		DocknetUUID: e.DockerNetwork, Bandwidth: e.Bandwidth})
}

// UnmarshalJSON decodes the stored form.
func (e *Endpoint) UnmarshalJSON(text []byte) (err error) {
	var t endpointJSON
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	tenant, network := t.Tenant, strings.TrimSuffix(t.NetID, "."+t.Tenant)
	if tenant == "" {
		network, tenant, _ = strings.Cut(t.NetID, ".")
	}
	switch {
	case tenant == "" || network == "" || identity.Network{Tenant: tenant, Name: network}.Dotted() != t.NetID:
		return fmt.Errorf("netID: got %q, want the name of a network of tenant %q", t.NetID, t.Tenant)
	case t.EndpointID == "":
		return fmt.Errorf("endpointID is missing")
	}
	*e = Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: shared(tenant), Name: shared(network)}, Endpoint: t.EndpointID}, GroupNumber: t.EndpointGroupID,
		Service: shared(t.ServiceName), MAC: t.MacAddress, Host: shared(t.HomingHost), IfName: shared(t.IntfName), VTEP: t.VtepIP, Labels: t.Labels,
		ContainerID: t.ContainerID, CommonName: t.EPCommonName, Machine: shared(t.Machine), RuntimeID: t.RuntimeID, Aliases: t.Aliases, Pod: t.Pod, Swarm: t.Swarm,
		DockerNetwork: t.DocknetUUID, Bandwidth: t.Bandwidth}
	if e.ContainerID == e.ID.Endpoint { // the usual case: one copy suffices
		e.ContainerID = e.ID.Endpoint
	}
	if t.EndpointGroupKey != "" {
		group, err := identity.ParseReversedGroup(t.EndpointGroupKey)
		if e.Group = (identity.Group{Tenant: shared(group.Tenant), Name: shared(group.Name)}); err != nil || group.Tenant != tenant {
			return fmt.Errorf("endpointGroupKey %q is not of the form group:%s", t.EndpointGroupKey, tenant)
		}
	}
	if e.IP, err = address(t.IPAddress); err == nil {
		e.IP6, err = address(t.IPv6Address)
	}
	if err == nil && (e.IP.Is6() || e.IP6.Is4()) {
		err = fmt.Errorf("addresses %s and %s are of the wrong families", e.IP, e.IP6)
	}
	return err
}

// shared returns the text, of which texts decoded at about the same time share one copy: thousands of endpoints name the same few hosts and
// networks.
func shared(text string) string { return unique.Make(text).Value() }

// Called reports whether text is a name of the endpoint or its container: the id on its network, the runtime's names of the container, its
// pod, or the original's id.
func (e *Endpoint) Called(text string) bool {
	return text == e.ID.Endpoint || text == e.ContainerID || text == e.RuntimeID || text == e.CommonName || slices.Contains(e.Aliases, text) ||
		text == LegacyID(e.ID) || text == e.Pod.ID.String() && text != ""
}

// Holds reports whether text is part of a name of the container or its interface. For a random id it must be a prefix: any short name of
// the same letters is somewhere in one of them.
func (e *Endpoint) Holds(text string) bool {
	return slices.ContainsFunc([]string{e.ID.Endpoint, e.ContainerID, e.RuntimeID, e.CommonName}, func(name string) bool {
		if drawn(name) {
			return strings.HasPrefix(name, text)
		}
		return strings.Contains(name, text)
	})
}

// drawn reports whether an id is a random one of a runtime: 32 hexadecimal digits or more, optionally with dashes.
func drawn(name string) bool {
	const least = 32
	return len(name) >= least && strings.Trim(name, "0123456789abcdef-") == ""
}

// Container returns the runtime's id of the container.
func (e *Endpoint) Container() string { return cmp.Or(e.RuntimeID, e.ContainerID) }

// LegacyID is "network.tenant-endpoint", the original's id of an endpoint. Two endpoints may have the same one.
func LegacyID(e identity.Endpoint) string { return e.Network.Dotted() + "-" + e.Endpoint }

// address parses an address, with or without a length after it; "" is none.
func address(text string) (netip.Addr, error) {
	text, _, _ = strings.Cut(text, "/")
	if text == "" {
		return netip.Addr{}, nil
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return a, fmt.Errorf("%q is not an IP address", text)
	}
	return a.Unmap(), nil
}

// Text returns the text form of an address, or "" for none.
func Text(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}

// MAC is an Ethernet address.
type MAC [6]byte

// String returns the text form, such as 02:02:0a:01:01:01.
func (m MAC) String() string { return net.HardwareAddr(m[:]).String() }

// MarshalText returns the text form, "" for the zero address.
func (m MAC) MarshalText() ([]byte, error) {
	if m == (MAC{}) {
		return nil, nil
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads the text form.
func (m *MAC) UnmarshalText(text []byte) error {
	*m = MAC{}
	if len(text) == 0 {
		return nil
	}
	hw, err := net.ParseMAC(string(text))
	if err != nil || len(hw) != len(m) {
		return fmt.Errorf("%q is not a MAC address", text)
	}
	copy(m[:], hw)
	return nil
}
