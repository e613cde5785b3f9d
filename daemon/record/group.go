// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

// Group is an endpoint group with its number, at Groups+ID.
type Group struct {
	ID           identity.Group
	Network      identity.Network
	Number       int // cluster-wide, never 0
	Encap        Encap
	PktTag       int // VLAN id of its own, or its network's
	ExtPktTag    int
	DSCP         int
	Bandwidth    string
	Burst        int
	ReceiveRate  string
	ReceiveBurst int
	Pool         ipam.Range // of the network's addresses; zero if it has no pool of its own
	Tag          string     // the runtime's label of the group
}

// groupJSON is a Group as it is stored.
type groupJSON struct {
	ID              string     `json:"id"` // "group:tenant"
	GroupName       string     `json:"groupName"`
	TenantName      string     `json:"tenantName"`
	NetworkName     string     `json:"networkName"`
	EndpointGroupID int        `json:"endpointGroupId"`
	PktTagType      Encap      `json:"pktTagType"`
	PktTag          int        `json:"pktTag"`
	ExtPktTag       int        `json:"extPktTag"`
	DSCP            int        `json:"DSCP"`
	Bandwidth       string     `json:"Bandwidth"`
	Burst           int        `json:"Burst"`
	ReceiveRate     string     `json:"ReceiveBandwidth,omitempty"`
	ReceiveBurst    int        `json:"ReceiveBurst,omitempty"`
	IPPool          ipam.Range `json:"IPPool"`
	GroupTag        string     `json:"groupTag"`
}

// MarshalJSON encodes the stored form.
func (g Group) MarshalJSON() ([]byte, error) {
	return json.Marshal(&groupJSON{ID: g.ID.Reversed(), GroupName: g.ID.Name, TenantName: g.ID.Tenant, NetworkName: g.Network.Name,
		EndpointGroupID: g.Number, PktTagType: g.Encap, PktTag: g.PktTag, ExtPktTag: g.ExtPktTag, DSCP: g.DSCP, Bandwidth: g.Bandwidth, Burst: g.Burst,
		ReceiveRate: g.ReceiveRate, ReceiveBurst: g.ReceiveBurst, IPPool: g.Pool, GroupTag: g.Tag})
}

// UnmarshalJSON decodes the stored form.
func (g *Group) UnmarshalJSON(text []byte) error {
	var t groupJSON
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	*g = Group{ID: identity.Group{Tenant: t.TenantName, Name: t.GroupName}, Network: identity.Network{Tenant: t.TenantName, Name: t.NetworkName},
		Number: t.EndpointGroupID, Encap: t.PktTagType, PktTag: t.PktTag, ExtPktTag: t.ExtPktTag, DSCP: t.DSCP, Bandwidth: t.Bandwidth, Burst: t.Burst,
		ReceiveRate: t.ReceiveRate, ReceiveBurst: t.ReceiveBurst, Pool: t.IPPool, Tag: t.GroupTag}
	return nil
}
