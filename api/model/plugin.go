package model

// Requests and answers of the routes under /plugin/, by which agents ask the master for endpoints and addresses.
// JSON names are the original's; decoding matches them case-insensitively.

// AllocAddressRequest asks for an address before an endpoint exists (Docker's order). The address is a hold that
// expires unless an endpoint takes it.
type AllocAddressRequest struct {
	NetworkID            string // "net.tenant" or "net:group.tenant", or a pool as identity.Pool says it
	AddressPool          string // "subnet/len", used when NetworkID is empty
	PreferredIPv4Address string // of IPv6 too
	// By is who asks, such as a host. It may ask again for an address that is held for it.
	By string `json:",omitempty"`
	// Token is a text that no one else knows: the hold is given back by who names it.
	Token string `json:",omitempty"`
	// Seconds is how long the address is held; 0 is ten minutes.
	Seconds int `json:",omitempty"`
	// Swarm says that a swarm's manager asks for a service or for a task. The address is held until it is released, no Docker network of a
	// swarm is on its network, or no machine is host By any more. A manager may ask again for what managers before it have been given.
	Swarm bool `json:",omitempty"`
}

// SwarmToken is by which addresses are released that a swarm has been given, and by which its tasks get theirs: any manager may do the
// one, and any host the other.
const SwarmToken = "swarm"

// AllocAddressResponse carries the address with its prefix length.
type AllocAddressResponse struct {
	NetworkID   string
	IPv4Address string // "addr/len", also for IPv6
}

// ReleaseAddressRequest gives a held address back.
type ReleaseAddressRequest struct {
	NetworkID   string
	IPv4Address string
	Token       string `json:",omitempty"` // with which the hold was asked for; a hold with another stays
	// By is who gives it back; the hold of someone else stays. "" is anyone.
	By string `json:",omitempty"`
}

// EndpointConfigRequest is the container half of a CreateEndpointRequest.
type EndpointConfigRequest struct {
	Container   string // identity of the endpoint on its network
	Host        string // label of the host that carries it
	IPAddress   string // wanted IPv4 address, or ""
	IPv6Address string
	ServiceName string // group, or ""
	MacAddress  string `json:",omitempty"` // wanted; "" follows from the IPv4 address
	// Tokens are those with which the addresses were held. Without any the host gets what is held for it.
	Tokens []string `json:",omitempty"`
}

// CreateEndpointRequest asks for an endpoint. Creating one that exists returns it unchanged.
type CreateEndpointRequest struct {
	TenantName   string
	NetworkName  string
	ServiceName  string
	EndpointID   string
	EPCommonName string
	ConfigEP     EndpointConfigRequest
	// Labels and ContainerID save a caller that knows them the separate UpdateEndpoint call.
	Labels      map[string]string `json:",omitempty"`
	ContainerID string            `json:",omitempty"`
	// DockerNetwork is the id of the Docker network of a container of Docker's.
	DockerNetwork string `json:",omitempty"`
	// Machine is the identity of the machine that attaches the endpoint; only that releases it on its own.
	Machine string `json:",omitempty"`
	// Pod is the pod of Kubernetes that the container belongs to. The master decides what TenantName, NetworkName and ServiceName leave open.
	Pod *PodRequest `json:",omitempty"`
	// Bandwidth is what limits the container alone; nil: nothing does.
	Bandwidth *BandwidthRequest `json:",omitempty"`
}

// BandwidthRequest is rates of a container in kbit/s, and what may pass at once above them in kbit; 0 of a rate is no limit, of a burst what suits
// the rate.
type BandwidthRequest struct {
	Send, SendBurst, Receive, ReceiveBurst uint32
}

// PodRequest names a pod as its kubelet does, and says where it belongs if nobody else says so.
type PodRequest struct {
	Namespace, Name string
	UID             string // of a static pod the kubelet's own; "" when the runtime does not tell
	Tenant          string `json:",omitempty"`
	Network         string `json:",omitempty"`
	Group           string `json:",omitempty"`
}

// DeleteEndpointRequest removes an endpoint by id.
type DeleteEndpointRequest struct {
	TenantName  string
	NetworkName string
	ServiceName string
	EndpointID  string
	IPv4Address string
	// Reason is why, for the history.
	Reason string `json:",omitempty"`
	// Host and ContainerID say of which host and container the endpoint is, when the caller knows: one of another is not deleted.
	Host        string `json:",omitempty"`
	ContainerID string `json:",omitempty"`
}

// UpdateEndpointRequest reports a container's start or death.
type UpdateEndpointRequest struct {
	IPAddress    string
	ContainerID  string
	Labels       map[string]string
	Tenant       string
	Network      string // network or group name
	Event        string // "start" or "die"
	EndpointID   string
	EPCommonName string
	// Aliases are further names of the container on this network.
	Aliases []string `json:",omitempty"`
	// Host is the host that the container is on, when the caller knows: the endpoint of another is not changed.
	Host string `json:",omitempty"`
}

// UpdateEndpointResponse echoes the address.
type UpdateEndpointResponse struct{ IPAddress string }

// LeaveRequest says that the agent of a host has ended.
type LeaveRequest struct {
	Host     string `json:"host"` // label
	Instance string `json:"seat"` // with which the agent was registered
}
