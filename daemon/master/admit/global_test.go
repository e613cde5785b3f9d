// SPDX-License-Identifier: Apache-2.0

package admit_test

import (
	"testing"

	"github.com/contiv/contiv/daemon/master/enginetest"
)

// TAG-09: ranges that run backwards or too far.
func TestGlobal(t *testing.T) {
	vlan := "network blue subnet=10.1.1.0/24 encap=vlan pktTag=100"
	try(t, enginetest.Options{}, []row{
		{"the forwarding mode", nil, "global global fwdMode=routing", ""},
		{"the forwarding mode of a network", []string{blue}, "global global fwdMode=routing",
			"in-use fwdMode: Unable to update forwarding mode due to existing 1 vxlans (delete all networks first)"},
		{"the forwarding mode of a router", []string{"global global fwdMode=routing", "bgp h1 routerip=10.9.0.1/24 as=65001 neighbor=10.9.0.2 neighbor-as=65000"}, "global global fwdMode=bridge",
			"in-use fwdMode: Unable to update forwarding mode due to existing 1 bgp routers (delete them first: netctl bgp ls)"},
		{"the private subnet", nil, "global global pvtSubnet=172.20.0.0/16", ""},
		{"the private subnet of a network", []string{blue}, "global global pvtSubnet=172.20.0.0/16",
			"in-use pvtSubnet: Unable to update private subnet due to existing 1 vxlans (delete all networks first)"},
		{"how hosts meet containers", []string{blue}, "global global hostAccess=direct", ""},
		{"and of networks that share addresses", []string{blue, "tenant acme", "network red encap=vxlan subnet=10.1.0.0/16 tenantName=acme"}, "global global hostAccess=direct",
			"conflict hostAccess: hosts cannot meet containers by their own addresses: networks share addresses: acme:red (10.1.0.0/16) and default:blue (10.1.1.0/24) (delete all but one of them first)"},
		{"and of one with private addresses", []string{"network blue encap=vxlan subnet=172.19.1.0/24"}, "global global hostAccess=direct",
			"conflict hostAccess: hosts cannot meet containers by their own addresses: networks share addresses: default:blue and the private subnet (172.19.0.0/16) (delete all but one of them first)"},
		{"a way that there is not", nil, "global global hostAccess=none", `invalid hostAccess: hostAccess string invalid format (hostAccess is private or direct, got "none")`},
		{"fewer VLANs", []string{vlan}, "global global vlans=100-200", ""},
		{"VLANs without those in use", []string{vlan}, "global global vlans=101-200",
			"in-use vlans: cannot update the vlan range: 100 in use outside 101-200: number is out of range (choose a range that holds every number in use: 100)"},
		{"no VLANs", nil, "global global vlans=200-100",
			"invalid vlans: invalid vlan range 200-100 (vlans takes one range within 1-4095)"},
		{"two ranges of VLANs", nil, "global global vlans=1-10,20-30",
			"invalid vlans: vlans string invalid format (vlans takes one range of VLAN ids, for example 1-4094)"},
		{"VNIs that are too many", nil, "global global vxlans=1-100000",
			"invalid vxlans: invalid vxlan range 1-100000 (vxlans takes one range within 1-65535)"},
		{"VNIs without those in use", []string{"network blue subnet=10.1.1.0/24 encap=vxlan pktTag=105"}, "global global vxlans=106-200",
			"in-use vxlans: cannot update the vxlan range: 105 in use outside 106-200: number is out of range (choose a range that holds every number in use: 105)"},
	})
}
