// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strconv"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

// Encap is how the frames of a network cross the underlay.
type Encap string

// The encapsulations.
const (
	VLAN  Encap = "vlan"
	VXLAN Encap = "vxlan"
)

// Kinds of networks.
const (
	DataNetwork  = "data"
	InfraNetwork = "infra" // for the hosts themselves
)

// HostNetwork is the infra network by which hosts reach the VXLAN networks and the services of its tenant, by name.
const HostNetwork = "contivh1"

// Network is a network with its numbers, at Networks+ID.
type Network struct {
	ID        identity.Network
	Kind      string // DataNetwork or InfraNetwork
	Encap     Encap
	PktTag    int          // VLAN id; of a vxlan network the cluster-local VLAN
	ExtPktTag int          // VNI; 0 of a vlan network
	Subnet    netip.Prefix // masked; invalid without IPv4
	Addresses ipam.Range   // that are allocated, within Subnet
	Gateway   netip.Addr   // invalid if there is none
	Subnet6   netip.Prefix // invalid without IPv6
	Gateway6  netip.Addr
	Tag       string // the runtime's label of the network
}

// networkJSON is a Network as it is stored.
type networkJSON struct {
	ID          string     `json:"id"` // "network.tenant"
	Tenant      string     `json:"tenant"`
	NetworkName string     `json:"networkName"`
	NwType      string     `json:"nwType"`
	PktTagType  Encap      `json:"pktTagType"`
	PktTag      int        `json:"pktTag"`
	ExtPktTag   int        `json:"extPktTag"`
	SubnetIP    netip.Addr `json:"subnetIP"`
	SubnetLen   int        `json:"subnetLen"`
	Gateway     netip.Addr `json:"gateway"`
	IPAddrRange ipam.Range `json:"ipAddrRange"`
	IPv6Subnet  netip.Addr `json:"ipv6SubnetIP"`
	IPv6Len     int        `json:"ipv6SubnetLen"`
	IPv6Gateway netip.Addr `json:"ipv6Gateway"`
	NetworkTag  string     `json:"networkTag"`
}

// MarshalJSON encodes the stored form.
func (n Network) MarshalJSON() ([]byte, error) {
	return json.Marshal(&networkJSON{
		ID: n.ID.Dotted(), Tenant: n.ID.Tenant, NetworkName: n.ID.Name, NwType: n.Kind, PktTagType: n.Encap, PktTag: n.PktTag, ExtPktTag: n.ExtPktTag,
		SubnetIP: n.Subnet.Addr(), SubnetLen: max(n.Subnet.Bits(), 0), Gateway: n.Gateway, IPAddrRange: n.Addresses,
		IPv6Subnet: n.Subnet6.Addr(), IPv6Len: max(n.Subnet6.Bits(), 0), IPv6Gateway: n.Gateway6, NetworkTag: n.Tag,
	})
}

// UnmarshalJSON decodes the stored form.
func (n *Network) UnmarshalJSON(text []byte) error {
	var t networkJSON
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	*n = Network{ID: identity.Network{Tenant: t.Tenant, Name: t.NetworkName}, Kind: t.NwType, Encap: t.PktTagType, PktTag: t.PktTag, ExtPktTag: t.ExtPktTag,
		Addresses: t.IPAddrRange, Gateway: t.Gateway, Gateway6: t.IPv6Gateway, Tag: t.NetworkTag}
	for i, s := range []struct {
		of      netip.Addr
		bits    int
		to      *netip.Prefix
		gateway netip.Addr
	}{{t.SubnetIP, t.SubnetLen, &n.Subnet, n.Gateway}, {t.IPv6Subnet, t.IPv6Len, &n.Subnet6, n.Gateway6}} {
		if !s.of.IsValid() {
			continue
		}
		*s.to = netip.PrefixFrom(s.of, s.bits).Masked()
		switch {
		case s.of.Is4() != (i == 0) || s.of.Is4In6():
			return fmt.Errorf("subnet %s is of the wrong family", s.of)
		case !s.to.IsValid():
			return fmt.Errorf("length %d of subnet %s", s.bits, s.of)
		case s.gateway.IsValid() && !s.to.Contains(s.gateway):
			return fmt.Errorf("gateway %s is outside of %s", s.gateway, s.to)
		}
	}
	if !n.Addresses.First.IsValid() && n.Subnet.IsValid() {
		n.Addresses = ipam.RangeOf(n.Subnet)
	}
	return nil
}

// Spec describes the network's addresses of IPv4.
func (n *Network) Spec() ipam.Spec {
	return ipam.Spec{Prefix: n.Subnet, First: n.Addresses.First, Last: n.Addresses.Last, Gateway: n.Gateway}
}

// Spec6 describes the network's addresses of IPv6.
func (n *Network) Spec6() ipam.Spec6 { return ipam.Spec6{Prefix: n.Subnet6, Gateway: n.Gateway6} }

// SegmentID returns the number of a network in a switch's registers. It is unique in the cluster because tags are, the same after
// every restart, and never 0.
func (n *Network) SegmentID() uint32 {
	if n.Encap == VXLAN { // VNIs end at 65535
		return 1<<16 | uint32(n.ExtPktTag)
	}
	return uint32(n.PktTag)
}

// Declared is the network's IPv4 addresses as an operator declares them: the subnet, or "first-last/length" if it is part of one.
func (n *Network) Declared() string {
	if n.Addresses == ipam.RangeOf(n.Subnet) {
		return Prefix(n.Subnet)
	}
	return n.Addresses.First.String() + "-" + n.Addresses.Last.String() + "/" + strconv.Itoa(n.Subnet.Bits())
}

// Prefix returns the text form of a subnet, or "" for none.
func Prefix(p netip.Prefix) string {
	if !p.IsValid() {
		return ""
	}
	return p.String()
}
