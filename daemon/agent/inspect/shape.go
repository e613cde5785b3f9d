// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"net"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/bridge"
)

// Port is one attached interface as GET /inspect/ports shows it.
type Port struct {
	Name      string `json:"name"`
	OFPort    uint32 `json:"ofport"`
	Error     string `json:"error,omitempty"`
	Endpoint  string `json:"endpoint"`
	Container string `json:"container"`
	IfName    string `json:"ifname"`
	Netns     string `json:"netns"`
	Tenant    string `json:"tenant"`
	Network   string `json:"network"`
	Group     string `json:"group,omitempty"`
	Owner     string `json:"owner,omitempty"`
}

func ports(all []attach.Attachment) []Port {
	out := []Port{}
	for _, a := range all {
		out = append(out, Port{Name: a.Port.Name, OFPort: a.Port.OFPort, Error: a.Port.Error, Endpoint: a.StateID,
			Container: a.ContainerID, IfName: a.IfName, Netns: a.Netns, Tenant: a.Tenant, Network: a.Network,
			Group: a.Group, Owner: a.Owner})
	}
	return out
}

// Owner converts an owner's status to the type of the API.
func Owner(s bridge.OwnerStatus) model.OwnerStatus {
	return model.OwnerStatus{Owner: s.Owner.String(), Phase: s.Phase.String(), Revision: s.Revision, Flows: s.Flows, Error: s.Err}
}

func owners(all []bridge.OwnerStatus) []model.OwnerStatus {
	out := []model.OwnerStatus{}
	for _, s := range all {
		out = append(out, Owner(s))
	}
	return out
}

// personality is the shape that the original showed for each of its two bridges.
type personality struct {
	LocalIP     string `json:"LocalIp"`
	IsConnected bool
	DpName      string
	FwdMode     string
	ArpMode     string
	MTU         int
	Uplinks     []Uplink
	MasterDB    map[string]record.Service  `json:"MasterDb"`
	VtepTable   map[string]uint32          // one flow-based tunnel port serves all peers
	EndpointDB  map[string]record.Endpoint `json:"EndpointDb"`
	Stats       map[string]uint64
}

// original returns the shape of the original's /inspect/driver; both names show the only bridge.
func original(d Driver, f Forwarder) map[string]personality {
	c := f.Counters()
	p := personality{LocalIP: d.LocalIP, IsConnected: d.Connected, DpName: d.Bridge, FwdMode: d.FwdMode, ArpMode: d.ArpMode,
		MTU: d.MTU, Uplinks: list(d.Uplinks), MasterDB: map[string]record.Service{}, VtepTable: map[string]uint32{}, EndpointDB: map[string]record.Endpoint{},
		Stats: map[string]uint64{"FlowMods": c.FlowMods, "Bundles": c.Bundles, "Refused": c.Refused, "Resyncs": c.Resyncs,
			"Drift": c.Drift, "Connections": c.Connections}}
	for _, s := range d.Masters {
		p.MasterDB[net.JoinHostPort(s.HostAddr, strconv.Itoa(s.Port))] = s
	}
	for _, s := range d.VTEPs {
		if at := s.Addr().String(); at != d.LocalIP {
			p.VtepTable[at] = 1000
		}
	}
	for _, e := range d.Endpoints {
		p.EndpointDB[record.LegacyID(e.ID)] = e
	}
	return map[string]personality{"vlan": p, "vxlan": p}
}
