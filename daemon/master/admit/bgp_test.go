// SPDX-License-Identifier: Apache-2.0

package admit_test

import (
	"testing"

	"github.com/contiv/contiv/daemon/master/enginetest"
)

// A router has addresses of its own: not those of its neighbour, of another host or of containers.
func TestRouterAddresses(t *testing.T) {
	base := []string{blue, "claim h2 vtep=192.0.2.9", "bgp h1 routerip=50.1.1.1/24 routerip6=fd50::1/64 as=65001 neighbor=50.1.1.200 neighbor-as=500"}
	try(t, enginetest.Options{FwdMode: "routing"}, []row{
		{"one more", base, "bgp h2 routerip=50.1.1.2/24 as=65002 neighbor=50.1.1.200 neighbor-as=500", ""},
		{"its own address again", base, "bgp h1 routerip=50.1.1.1/24 neighbor=50.1.1.201", ""},
		{"a neighbour off the link, as the original permits", base, "bgp h2 routerip=50.1.1.2/24 as=65002 neighbor=90.1.1.1 neighbor-as=500", ""},
		{"its neighbour's", base, "bgp h2 routerip=50.1.1.200/24 as=65002 neighbor=50.1.1.200 neighbor-as=500",
			"conflict routerip: routerip 50.1.1.200 is the address of its own neighbour (the host needs an address of its own on the link to the neighbour)"},
		{"one of several neighbours'", base, "bgp h2 routerip=50.1.1.2/24 routerip6=fd50::c8/64 as=65002 neighbor=50.1.1.200,fd50::c8 neighbor-as=500",
			"conflict routerip6: routerip6 fd50::c8 is the address of its own neighbour (the host needs an address of its own on the link to the neighbour)"},
		{"another router's", base, "bgp h2 routerip=50.1.1.1/24 as=65002 neighbor=50.1.1.200 neighbor-as=500",
			"conflict routerip: routerip 50.1.1.1 is the address of the router of host h1 (each host needs an address of its own; netctl bgp ls lists the routers)"},
		{"another host's", base, "bgp h1 routerip=192.0.2.9/24",
			"conflict routerip: routerip 192.0.2.9 is the address of host h2 (each host needs an address of its own; netctl node ls -o wide lists them)"},
		{"a container's", base, "bgp h2 routerip=10.1.1.9/24 as=65002 neighbor=10.1.1.200 neighbor-as=500",
			"conflict routerip: routerip 10.1.1.9 is in the subnet of network default:blue (choose an address of the link to the neighbour)"},
		{"a network around a router", base, "network link encap=vxlan subnet=50.1.1.0/24",
			"conflict subnet: subnet 50.1.1.0/24 has address 50.1.1.1 of the BGP router of host h1 (choose a subnet that no router is in; netctl bgp ls lists the routers)"},
		{"a network of another tenant", append(base, "tenant acme"), "network link tenantName=acme encap=vxlan subnet=50.1.1.0/24", ""},
	})
}
