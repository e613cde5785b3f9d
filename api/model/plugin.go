// SPDX-License-Identifier: Apache-2.0

package model

// Requests and answers of the routes under /plugin/, by which agents request endpoints and addresses from the master. JSON names are the
// original's; decoding matches them case-insensitively.

// AllocAddressRequest requests an address before an endpoint exists (Docker's order). The address is a hold that expires unless an endpoint
// uses it.
type AllocAddressRequest struct {
	NetworkID            string // "net.tenant" or "net:group.tenant", or the text form of an identity.Pool
	AddressPool          string // "subnet/len", used when NetworkID is empty
	PreferredIPv4Address string // of IPv6 too
	// By is the requester, such as a host. It may request an address again that is held for it.
	By string `json:",omitempty"`
	// Token is a secret text: naming it releases the hold.
	Token string `json:",omitempty"`
	// Seconds is how long the address is held; 0 is ten minutes.
	Seconds int `json:",omitempty"`
	// Swarm means that a swarm's manager requests the address for a service or for a task. The address is held until it is released, no
	// Docker network of a swarm is on its network, or no machine is host By any longer. A manager may request again the addresses of
	// earlier managers.
	Swarm bool `json:",omitempty"`
}

// SwarmToken releases addresses of a swarm, and assigns them to its tasks: any manager may do the former, and any host the latter.
const SwarmToken = "swarm"

// AllocAddressResponse carries the address with its prefix length.
type AllocAddressResponse struct {
	NetworkID   string
	IPv4Address string // "addr/len", also for IPv6
}

// ReleaseAddressRequest releases a held address.
type ReleaseAddressRequest struct {
	NetworkID   string
	IPv4Address string
	Token       string `json:",omitempty"` // of the hold; a hold with another token stays
	// By is the releaser; the hold of another requester stays. "" is anyone.
	By string `json:",omitempty"`
}

// EndpointConfigRequest is the container half of a CreateEndpointRequest.
type EndpointConfigRequest struct {
	Container   string // identity of the endpoint on its network
	Host        string // label of the host that carries it
	IPAddress   string // requested IPv4 address, or ""
	IPv6Address string
	ServiceName string // group, or ""
	MacAddress  string `json:",omitempty"` // requested; "": derived from the IPv4 address
	// Tokens are those of the addresses' holds. Without any the host gets what is held for it.
	Tokens []string `json:",omitempty"`
}

// CreateEndpointRequest requests an endpoint. Creating an existing one returns it unchanged.
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
	// DockerNetwork is the id of the Docker network of a Docker container.
	DockerNetwork string `json:",omitempty"`
	// Machine is the identity of the machine that attaches the endpoint; only that machine releases it by itself.
	Machine string `json:",omitempty"`
	// Pod is the pod of Kubernetes that the container belongs to. The master decides about an empty TenantName, NetworkName and
	// ServiceName.
	Pod *PodRequest `json:",omitempty"`
	// Bandwidth are the limits of this container only; nil: none.
	Bandwidth *BandwidthRequest `json:",omitempty"`
}

// BandwidthRequest has rates of a container in kbit/s, and bursts in kbit; 0 for a rate is no limit, for a burst one derived from the rate.
type BandwidthRequest struct {
	Send, SendBurst, Receive, ReceiveBurst uint32
}

// PodRequest names a pod as its kubelet does, with its default place.
type PodRequest struct {
	Namespace, Name string
	UID             string // for a static pod the kubelet's own; "" if the runtime does not provide it
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
	// Reason is the reason, for the history.
	Reason string `json:",omitempty"`
	// Host and ContainerID are the endpoint's host and container, if the caller knows them: an endpoint of another is not deleted.
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
	// Host is the host of the container, if the caller knows it: an endpoint of another is not changed.
	Host string `json:",omitempty"`
}

// UpdateEndpointResponse echoes the address.
type UpdateEndpointResponse struct{ IPAddress string }

// LeaveRequest reports that the agent of a host has ended.
type LeaveRequest struct {
	Host     string `json:"host"` // label
	Instance string `json:"seat"` // with which the agent was registered
}
