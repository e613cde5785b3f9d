// SPDX-License-Identifier: Apache-2.0

package model

// Requests and answers of the routes by which agents report networks of Docker engines, and of the list for operators.

// DockerPoolRequest asks for the source of the addresses of a Docker network that is about to be created. It changes nothing.
type DockerPoolRequest struct {
	Pool    string            // requested subnet, or ""
	SubPool string            // part of it to allocate addresses from, or ""
	Options map[string]string // of the IPAM driver
	V6      bool
}

// DockerPoolResponse is the answer.
type DockerPoolResponse struct {
	PoolID  string // identity.Pool
	Pool    string // "address/length"
	Gateway string // "address/length", "" for a network without one, or one that does not exist yet
	Exists  bool   // the network exists
}

// DockerNetworkRequest registers a network of a Docker engine. Repeating it changes nothing.
type DockerNetworkRequest struct {
	ID       string            // Docker's
	Host     string            // label of the host whose engine has it; "" for a network of a whole swarm
	Options  map[string]string // of the network driver
	Pools    []DockerPool
	Internal bool
	// Requested are the pools of these subnets that the same engine has requested a moment ago, as DockerPoolResponse.PoolID.
	Requested []string
}

// DockerPool is a subnet of a Docker network.
type DockerPool struct {
	Subnet  string // "address/length"
	Gateway string // "address/length" or "address", or ""
}

// MaxKept is the maximum number of ids in DockerNetworkRemoval.Kept: as many as one transaction of a store takes.
const MaxKept = 100

// DockerNetworkRemoval removes the record of such a network. Repeating it changes nothing.
type DockerNetworkRemoval struct {
	ID   string
	Host string // host of the reporting engine; "": an operator
	// Kept are ids, instead of ID, of networks that the agent of Host keeps without a record: only records of earlier builds are deleted.
	// There are at most MaxKept.
	Kept []string `json:",omitempty"`
}

// DockerNetworkName sets the name of a network in a host's Docker engine. Repeating it changes nothing.
type DockerNetworkName struct {
	ID   string
	Host string // host of the reporting engine
	Name string
}

// DockerNetwork is a network of a Docker engine.
type DockerNetwork struct {
	ID        string   `json:"id"`
	Tenant    string   `json:"tenant"`
	Network   string   `json:"network"`
	Group     string   `json:"group,omitempty"`
	Host      string   `json:"host,omitempty"` // whose engine has it; "" for a network of a whole swarm
	Pools     []string `json:"pools"`
	Made      bool     `json:"made,omitempty"`     // the network was created for it, and is deleted with it
	Managed   bool     `json:"managed,omitempty"`  // an agent of an earlier build, or of a swarm, created it for the network or group
	Internal  bool     `json:"internal,omitempty"` // its containers have no gateway
	Gone      bool     `json:"gone,omitempty"`     // Docker no longer has it; it is deleted with the last of its endpoints
	Endpoints int      `json:"endpoints"`          // of the network or group on that host, by any engine
}

// shortID is the length of an id as Docker shows it.
const shortID = 12

// ShortID returns the id in the length that Docker shows.
func (d *DockerNetwork) ShortID() string { return d.ID[:min(len(d.ID), shortID)] }

// Maker describes the creator of the network: "agent", "user", or "user, with its network", or that it is gone.
func (d *DockerNetwork) Maker() string {
	switch {
	case d.Gone:
		return "gone, but for its endpoints"
	case d.Managed:
		return "agent"
	case d.Made:
		return "user, with its network"
	}
	return "user"
}
