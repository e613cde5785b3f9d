// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/identity"
)

// DockerNetworks is the prefix of the networks of Docker engines, by their ids.
const DockerNetworks = State + "docknet/"

// DockerNetwork resolves a network id of a Docker engine, at DockerNetworks+ID. Docker sends this information once, when the network is
// created. Networks that agents keep in their engines have no record, except those of swarms and of agents of earlier
// builds.
type DockerNetwork struct {
	ID       string           // Docker's
	Network  identity.Network // that its containers are on
	Group    string           // in which they are, or ""
	Host     string           // label of the host whose engine has it; "" for a network of a whole swarm
	Pools    []netip.Prefix   // its subnets
	Made     bool             // the network was created for it, and is deleted with it
	Managed  bool             // an agent created it for the network or group
	Internal bool             // its containers have no gateway
	// Gone means that Docker no longer has it, and that its network waits for the endpoints of its containers, which ended without a
	// report.
	Gone bool
}

// dockerNetworkJSON is a DockerNetwork as it is stored.
type dockerNetworkJSON struct {
	ID       string         `json:"id"` // "tenant.network.group"
	Tenant   string         `json:"tenantName"`
	Network  string         `json:"networkName"`
	Service  string         `json:"serviceName"`
	UUID     string         `json:"docknetUUID"`
	Host     string         `json:"host,omitempty"`
	Pools    []netip.Prefix `json:"pools,omitempty"`
	Made     bool           `json:"made,omitempty"`
	Managed  bool           `json:"managed,omitempty"`
	Internal bool           `json:"internal,omitempty"`
	Gone     bool           `json:"gone,omitempty"`
}

// MarshalJSON encodes the stored form.
func (d DockerNetwork) MarshalJSON() ([]byte, error) {
	return json.Marshal(&dockerNetworkJSON{ID: d.Network.Tenant + "." + d.Network.Name + "." + d.Group, Tenant: d.Network.Tenant, Network: d.Network.Name,
		Service: d.Group, UUID: d.ID, Host: d.Host, Pools: d.Pools, Made: d.Made, Managed: d.Managed, Internal: d.Internal, Gone: d.Gone})
}

// UnmarshalJSON decodes the stored form.
func (d *DockerNetwork) UnmarshalJSON(text []byte) error {
	var t dockerNetworkJSON
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	if t.UUID == "" || t.Tenant == "" || t.Network == "" {
		return fmt.Errorf("got docknetUUID %q, tenantName %q and networkName %q, want all of them", t.UUID, t.Tenant, t.Network)
	}
	*d = DockerNetwork{ID: t.UUID, Network: identity.Network{Tenant: t.Tenant, Name: t.Network}, Group: t.Service, Host: t.Host, Pools: t.Pools,
		Made: t.Made, Managed: t.Managed, Internal: t.Internal, Gone: t.Gone}
	return nil
}

// Nameless reports whether the network was created for the Docker network of one engine, and has its id as a name.
func (d *DockerNetwork) Nameless() bool {
	return d.Made && !d.Managed && !d.Gone && d.Host != "" && d.Network.Name == d.ID
}

// DockerNetworkName returns the name of a network created for a Docker network of that name: letters, digits, dots and inner dashes
// stay, and all other characters, such as the underscore of "shop_default", become dashes. It is "" if nothing is left.
func DockerNetworkName(docker string) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' {
			return c
		}
		return '-'
	}, docker)
	var labels []string
	for label := range strings.SplitSeq(name, ".") {
		if label = strings.Trim(label, "-"); label != "" {
			labels = append(labels, label)
		}
	}
	const longest = 64 // of a network's name
	name = strings.Join(labels, ".")
	return strings.TrimRight(name[:min(len(name), longest)], ".-")
}

// Of returns the identity of the group, or the zero value if there is none.
func (d *DockerNetwork) Of() identity.Group {
	if d.Group == "" {
		return identity.Group{}
	}
	return identity.Group{Tenant: d.Network.Tenant, Name: d.Group}
}

// Place returns the owner: "host h1", or "the swarm".
func (d *DockerNetwork) Place() string {
	if d.Host == "" {
		return "the swarm"
	}
	return "host " + d.Host
}
