package model

// Requests and answers of the routes by which agents tell of networks of Docker engines, and of the list that operators read.

// DockerPoolRequest asks where the addresses of a Docker network that is about to be made come from. Nothing is kept of it.
type DockerPoolRequest struct {
	Pool    string            // wanted subnet, or ""
	SubPool string            // part of it to give addresses from, or ""
	Options map[string]string // of the IPAM driver
	V6      bool
}

// DockerPoolResponse says it.
type DockerPoolResponse struct {
	PoolID  string // identity.Pool
	Pool    string // "address/length"
	Gateway string // "address/length", "" of a network without one, or of one that is still to come
	Exists  bool   // there is that network
}

// DockerNetworkRequest says that there is a network of a Docker engine. Saying it again changes nothing.
type DockerNetworkRequest struct {
	ID       string            // Docker's
	Host     string            // label of the host whose engine has it; "" of a network of a whole swarm
	Options  map[string]string // of the network driver
	Pools    []DockerPool
	Internal bool
	// Requested are the pools of these subnets that the same engine has asked for a moment ago, as DockerPoolResponse.PoolID.
	Requested []string
}

// DockerPool is a subnet of a Docker network.
type DockerPool struct {
	Subnet  string // "address/length"
	Gateway string // "address/length" or "address", or ""
}

// MaxKept is how many ids DockerNetworkRemoval.Kept may have: what one transaction of a store takes.
const MaxKept = 100

// DockerNetworkRemoval says that there is no such network any more. Saying it again changes nothing.
type DockerNetworkRemoval struct {
	ID   string
	Host string // whose engine says so; "": an operator
	// Kept are ids, in the place of ID, of networks that the agent of Host keeps without a record: only the records of earlier builds are deleted. At most MaxKept.
	Kept []string `json:",omitempty"`
}

// DockerNetworkName says what a host's Docker engine calls one of its networks. Saying it again changes nothing.
type DockerNetworkName struct {
	ID   string
	Host string // whose engine says so
	Name string
}

// DockerNetwork is a network of a Docker engine.
type DockerNetwork struct {
	ID        string   `json:"id"`
	Tenant    string   `json:"tenant"`
	Network   string   `json:"network"`
	Group     string   `json:"group,omitempty"`
	Host      string   `json:"host,omitempty"` // whose engine has it; "" of a network of a whole swarm
	Pools     []string `json:"pools"`
	Made      bool     `json:"made,omitempty"`     // the network was made for it, and goes with it
	Managed   bool     `json:"managed,omitempty"`  // an agent of an earlier build made it, or a swarm's, since there is the network or group
	Internal  bool     `json:"internal,omitempty"` // its containers have no gateway
	Gone      bool     `json:"gone,omitempty"`     // Docker has it no more; it goes with the last of its endpoints
	Endpoints int      `json:"endpoints"`          // of the network or group on that host, by whatever engine
}

// shortID is how much of an id Docker shows, and we with it.
const shortID = 12

// ShortID is as much of the id as Docker shows.
func (d *DockerNetwork) ShortID() string { return d.ID[:min(len(d.ID), shortID)] }

// Maker is who has made the network, for operators: "agent", "user", or "user, with its network", or that it is gone.
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
