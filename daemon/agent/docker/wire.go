// SPDX-License-Identifier: Apache-2.0

package docker

// Requests and answers of libnetwork's remote drivers, as in drivers/remote/api and ipams/remote/api of moby's libnetwork.

type empty struct{}

// failure is the answer of status 500.
type failure struct{ Err string }

type activation struct{ Implements []string }

type capabilities struct{ Scope, ConnectivityScope string }

// networkRequest is that of CreateNetwork and AllocateNetwork. The latter's options are strings, the former's of any type.
type networkRequest struct {
	NetworkID          string
	Options            map[string]any
	IPv4Data, IPv6Data []ipamData
}

// ipamData is a pool of a network. Addresses are "address/length".
type ipamData struct {
	AddressSpace string
	Pool         string
	Gateway      string
	AuxAddresses map[string]string
}

type allocateNetworkResponse struct{ Options map[string]string }

type networkID struct{ NetworkID string }

type endpointRequest struct {
	NetworkID, EndpointID string
	Interface             *endpointInterface
	SandboxKey            string
	Options               map[string]any
}

// endpointInterface has addresses as "address/length"; "" is none.
type endpointInterface struct {
	Address     string `json:",omitempty"`
	AddressIPv6 string `json:",omitempty"`
	MacAddress  string `json:",omitempty"`
}

type createEndpointResponse struct{ Interface endpointInterface }

type operInfoResponse struct{ Value map[string]any }

type interfaceName struct{ SrcName, DstPrefix string }

// routeConnected is the type of a static route to destinations on the interface's own link (types.CONNECTED of libnetwork).
const routeConnected = 1

type staticRoute struct {
	Destination string // "address/length"
	RouteType   int
}

type joinResponse struct {
	InterfaceName         interfaceName
	Gateway               string        `json:",omitempty"`
	GatewayIPv6           string        `json:",omitempty"`
	StaticRoutes          []staticRoute `json:",omitempty"`
	DisableGatewayService bool          `json:",omitempty"`
}

type ipamCapabilities struct{ RequiresMACAddress, RequiresRequestReplay bool }

type addressSpaces struct{ LocalDefaultAddressSpace, GlobalDefaultAddressSpace string }

// addressSpace is the only address space. Equal local and global ones make the engine accept a pool as it is: otherwise it would request
// other ones as long as the pool overlaps with a route of the host.
const addressSpace = "contiv"

type requestPoolRequest struct {
	AddressSpace, Pool, SubPool string
	Options                     map[string]string
	V6                          bool
}

type requestPoolResponse struct {
	PoolID, Pool string
	Data         map[string]string
}

type requestAddressRequest struct {
	PoolID, Address string
	Options         map[string]string
}

type requestAddressResponse struct {
	Address string
	Data    map[string]string
}

type releaseAddressRequest struct{ PoolID, Address string }
