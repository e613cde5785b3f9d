package record

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/identity"
)

// DockerNetworks is where the networks of Docker engines are, by their ids.
const DockerNetworks = State + "docknet/"

// DockerNetwork says what a network id of a Docker engine means, at DockerNetworks+ID. Docker tells it once, when the network is made. Those that agents keep in their engines have no
// record, but for those of swarms and of agents of earlier builds.
type DockerNetwork struct {
	ID       string           // Docker's
	Network  identity.Network // that its containers are on
	Group    string           // in which they are, or ""
	Host     string           // label of the host whose engine has it; "" of a network of a whole swarm
	Pools    []netip.Prefix   // its subnets
	Made     bool             // the network was made for it, and goes with it
	Managed  bool             // an agent made it, since there is the network or group
	Internal bool             // its containers have no gateway
	// Gone says that Docker has it no more, and that its network waits for the endpoints of its containers, which ended without a word.
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

// MarshalJSON gives what is stored.
func (d DockerNetwork) MarshalJSON() ([]byte, error) {
	return json.Marshal(&dockerNetworkJSON{ID: d.Network.Tenant + "." + d.Network.Name + "." + d.Group, Tenant: d.Network.Tenant, Network: d.Network.Name,
		Service: d.Group, UUID: d.ID, Host: d.Host, Pools: d.Pools, Made: d.Made, Managed: d.Managed, Internal: d.Internal, Gone: d.Gone})
}

// UnmarshalJSON reads what is stored.
func (d *DockerNetwork) UnmarshalJSON(text []byte) error {
	var t dockerNetworkJSON
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	if t.UUID == "" || t.Tenant == "" || t.Network == "" {
		return fmt.Errorf("docknetUUID %q, tenantName %q and networkName %q: none may be empty", t.UUID, t.Tenant, t.Network)
	}
	*d = DockerNetwork{ID: t.UUID, Network: identity.Network{Tenant: t.Tenant, Name: t.Network}, Group: t.Service, Host: t.Host, Pools: t.Pools,
		Made: t.Made, Managed: t.Managed, Internal: t.Internal, Gone: t.Gone}
	return nil
}

// Nameless reports whether the network was made for the Docker network of one engine, and has its id for a name.
func (d *DockerNetwork) Nameless() bool {
	return d.Made && !d.Managed && !d.Gone && d.Host != "" && d.Network.Name == d.ID
}

// DockerNetworkName is the name that a network gets which is made for a Docker network of that name: letters, digits, dots and inner dashes stay, and all else,
// as the underscore of "shop_default", becomes a dash. It is "" where nothing is left.
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

// Of is the identity of the group, zero without one.
func (d *DockerNetwork) Of() identity.Group {
	if d.Group == "" {
		return identity.Group{}
	}
	return identity.Group{Tenant: d.Network.Tenant, Name: d.Group}
}

// Place says whose engine has it: "host h1", or "the swarm".
func (d *DockerNetwork) Place() string {
	if d.Host == "" {
		return "the swarm"
	}
	return "host " + d.Host
}
