package admit_test

import (
	"testing"

	"github.com/contiv/contiv/daemon/master/enginetest"
)

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
