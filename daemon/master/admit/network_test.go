// SPDX-License-Identifier: Apache-2.0

package admit_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
)

func TestNetworks(t *testing.T) {
	try(t, enginetest.Options{}, []row{
		{"plain", nil, blue, ""},
		{"a VLAN", nil, "network blue subnet=10.1.1.0/24 encap=vlan pktTag=100", ""},
		{"both families", nil, "network blue encap=vxlan subnet=10.1.1.0/24 ipv6Subnet=fd01::/64 ipv6Gateway=fd01::1", ""},
		{"no such tenant", nil, "network blue encap=vxlan subnet=10.1.1.0/24 tenantName=acme",
			`not-found tenantName: Tenant not found (create it with netctl tenant create acme; tenants: default; netctl tenant ls lists them)`},
		{"changed", []string{blue}, "network blue encap=vxlan subnet=10.1.2.0/24",
			"immutable: Cant change network parameters after its created. Key: default:blue (delete the network and create it again)"},
		{"no length", nil, "network blue encap=vxlan subnet=10.1.1.0",
			"invalid subnet: subnet string invalid format (subnet takes an IPv4 subnet or a range with its ends in full, length 1 to 31, for example 10.1.1.0/24 or 10.1.1.10-10.1.1.20/24)"},
		{"its gateway is elsewhere", nil, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.2.1",
			"invalid gateway: gateway 10.1.2.1 is not in 10.1.1.0/24: address is out of range (choose an address of 10.1.1.0/24 that containers may have)"},
		{"only an IPv6 gateway", nil, "network blue encap=vxlan subnet=10.1.1.0/24 ipv6Gateway=fd01::1",
			"invalid ipv6Gateway: IPv6 gateway fd01::1 without an IPv6 subnet (set ipv6Subnet, or leave ipv6Gateway out)"},
		{"its IPv6 gateway is elsewhere", nil, "network blue encap=vxlan subnet=10.1.1.0/24 ipv6Subnet=fd01::/64 ipv6Gateway=fd02::1",
			"invalid ipv6Gateway: gateway fd02::1 is not in fd01::/64: address is out of range (choose an address of fd01::/64 that containers may have)"},
		{"the addresses of another", []string{blue}, "network red encap=vxlan subnet=10.1.0.0/16",
			"conflict subnet: subnet 10.1.0.0-10.1.255.255 overlaps with 10.1.1.0/24 of network default:blue (choose a subnet that the tenant does not use)"},
		{"the addresses of another tenant's", []string{blue, "tenant acme"}, "network red encap=vxlan subnet=10.1.1.0/24 tenantName=acme", ""},
		{"the addresses of another tenant's, where hosts meet containers by these", []string{"global global hostAccess=direct", blue, "tenant acme"}, "network red encap=vxlan subnet=10.1.1.128/25 tenantName=acme",
			"conflict subnet: subnet 10.1.1.128/25 overlaps with that of network default:blue of another tenant (choose a subnet that no tenant uses: hosts meet containers by their own addresses (netctl global inspect: hostAccess direct))"},
		{"and of IPv6", []string{"global global hostAccess=direct", "network blue encap=vxlan subnet=10.1.1.0/24 ipv6Subnet=fd01::/64", "tenant acme"}, "network red encap=vxlan subnet=10.1.2.0/24 ipv6Subnet=fd01::/48 tenantName=acme",
			"conflict ipv6Subnet: subnet fd01::/48 overlaps with that of network default:blue of another tenant (choose a subnet that no tenant uses: hosts meet containers by their own addresses (netctl global inspect: hostAccess direct))"},
		{"private addresses of hosts, where they meet containers by own ones", []string{"global global hostAccess=direct"}, "network red encap=vxlan subnet=172.19.1.0/24",
			"conflict subnet: subnet 172.19.1.0/24 overlaps with the private subnet 172.19.0.0/16 of hosts (choose another subnet)"},
		{"of another tenant, beside", []string{"global global hostAccess=direct", blue, "tenant acme"}, "network red encap=vxlan subnet=10.1.2.0/24 tenantName=acme", ""},
		{"the IPv6 addresses of another", []string{"network blue encap=vxlan subnet=10.1.1.0/24 ipv6Subnet=fd01::/64"}, "network red encap=vxlan subnet=10.1.2.0/24 ipv6Subnet=fd01::/48",
			"conflict ipv6Subnet: ipv6 subnet fd01::/48 overlaps with fd01::/64 of network default:blue (choose a subnet that the tenant does not use)"},
		{"a tag that is taken", []string{"network blue subnet=10.1.1.0/24 encap=vlan pktTag=100"}, "network red subnet=10.1.2.0/24 encap=vlan pktTag=100",
			"conflict pktTag: requested vlan not available - vlan:100 (100: number is in use; leave pktTag out to take the lowest free one)"},
		{"a VNI beyond the range", nil, "network blue subnet=10.1.1.0/24 encap=vxlan pktTag=20000",
			"conflict pktTag: requested vxlan not available (20000 is not in 1-10000: number is out of range; leave pktTag out to take the lowest free one)"},
		{"no tag is left", []string{"global global vlans=7-7", "network blue subnet=10.1.1.0/24 encap=vlan"}, "network red subnet=10.1.2.0/24 encap=vlan",
			"exhausted pktTag: no vlans available (widen the range with netctl global set --vlan-range, or delete a network)"},
		{"the name of a group", []string{blue, "group red networkName=blue"}, "network red encap=vxlan subnet=10.1.2.0/24",
			"conflict networkName: Network red conflicts with the endpoint group of the same name (networks and groups of a tenant share their names; choose another)"},
		{"reads like another in the original", []string{"tenant acme", "tenant b.acme", "network a.b encap=vxlan subnet=10.1.1.0/24 tenantName=acme"}, "network a encap=vxlan subnet=10.1.1.0/24 tenantName=b.acme", ""},
		{"removed", []string{blue}, "rm network blue", ""},
		{"removed, and there is none", nil, "rm network blue",
			`not-found: network not found (the key is "default:blue"; netctl network ls --all lists them)`},
		{"removed with a group", []string{blue, "group web networkName=blue"}, "rm network blue",
			"in-use: cannot delete blue has 1 endpoint groups (delete default:web first)"},
		{"removed with a service", []string{blue, "service shop networkName=blue selectors=a=b ports=80:8080:TCP"}, "rm network blue",
			"in-use: cannot delete blue has 1 services (delete default:shop first)"},
		{"removed with endpoints", []string{blue, "attach blue c1"}, "rm network blue",
			"in-use: Error: Network has active endpoints (remove the containers c1 on h1 first)"},
	})
}

// A network to which hosts have routes must not contain the address of a host or a netmaster; a network that only containers reach may.
func TestNetworksOfHosts(t *testing.T) {
	for name, row := range map[string]struct{ global, line, want string }{
		"infra, a tunnel address":                   {"", "network inf nwType=infra encap=vxlan subnet=192.0.2.0/24", "conflict subnet: subnet 192.0.2.0/24 has address 192.0.2.2 of host h2 (choose a subnet that no host is in)"},
		"infra, a control address":                  {"", "network inf nwType=infra encap=vxlan subnet=198.51.100.0/24", "conflict subnet: subnet 198.51.100.0/24 has address 198.51.100.2 of host h2 (choose a subnet that no host is in)"},
		"infra, a netmaster":                        {"", "network inf nwType=infra encap=vxlan subnet=203.0.113.0/24", "conflict subnet: subnet 203.0.113.0/24 has address 203.0.113.9 of a netmaster (choose a subnet that no host is in)"},
		"infra, an address of IPv6":                 {"", "network inf nwType=infra encap=vxlan subnet=10.9.0.0/24 ipv6Subnet=2001:db8::/64", "conflict ipv6Subnet: subnet 2001:db8::/64 has address 2001:db8::2 of host h2 (choose a subnet that no host is in)"},
		"infra, a subnet that a host reports":       {"", "network inf nwType=infra encap=vxlan subnet=100.64.0.0/16", "conflict subnet: subnet 100.64.0.0/16 overlaps 100.64.8.0/24, in which host h2 has address 100.64.8.2 (choose a subnet that no host is in)"},
		"infra, one in IPv6":                        {"", "network inf nwType=infra encap=vxlan subnet=10.9.0.0/24 ipv6Subnet=2001:db8:7::/64", "conflict ipv6Subnet: subnet 2001:db8:7::/64 overlaps 2001:db8:7::/48, in which host h2 has address 2001:db8:7::2 (choose a subnet that no host is in)"},
		"infra, called like a host's interface":     {"", "network mgmt0 nwType=infra encap=vxlan subnet=10.9.0.0/24", "conflict networkName: host h2 has an interface mgmt0 already (use another name: every host gets an interface that is called like an infra network)"},
		"infra, called like one of Contiv's":        {"", "network contivh0 nwType=infra encap=vxlan subnet=10.9.0.0/24", "conflict networkName: every host has an interface contivh0 already (use another name: every host gets an interface that is called like an infra network)"},
		"infra, called like another tenant's":       {"tenant red\nnetwork inf tenantName=red nwType=infra encap=vxlan subnet=10.8.0.0/24", "network inf nwType=infra encap=vxlan subnet=10.9.0.0/24", "conflict networkName: infra network inf of tenant red has an interface inf on every host (use another name: every host gets an interface that is called like an infra network)"},
		"infra, called like no interface":           {"", "network sixteen-letters1 nwType=infra encap=vxlan subnet=10.9.0.0/24", "invalid networkName: infra network sixteen-letters1: its name is that of an interface on every host, which has 15 letters at most (use a shorter one)"},
		"containers', called like an interface":     {"", "network mgmt0 encap=vxlan subnet=10.9.0.0/24", ""},
		"containers', in a subnet that is a host's": {"", "network blue encap=vxlan subnet=100.64.0.0/16", ""},
		"infra, elsewhere":                          {"", "network inf nwType=infra encap=vxlan subnet=10.9.0.0/24", ""},
		"containers', reached by hosts":             {"global global hostAccess=direct", "network blue encap=vxlan subnet=192.0.2.0/24", "conflict subnet: subnet 192.0.2.0/24 has address 192.0.2.2 of host h2 (choose a subnet that no host is in)"},
		"containers', not reached by hosts":         {"", "network blue encap=vxlan subnet=192.0.2.0/24", ""},
	} {
		w := enginetest.Start(t, enginetest.Options{})
		w.Admitted(t, record.Host{Label: "h2", Machine: "m2", VTEP: netip.MustParseAddr("192.0.2.2"), Port: 4789, Control: netip.MustParseAddrPort("198.51.100.2:9090"), Node6: netip.MustParseAddr("2001:db8::2"),
			Own: []netip.Prefix{netip.MustParsePrefix("203.0.113.44/0"), netip.MustParsePrefix("100.64.8.2/24"), netip.MustParsePrefix("2001:db8:7::2/48")}, Interfaces: []string{"mgmt0"}})
		if _, err := w.Commit.Do(t.Context(), func(tx *commit.Tx) error {
			m := &record.Service{ServiceName: record.ServiceMaster, HostAddr: "203.0.113.9", Port: 9999, Role: "leader"}
			return tx.Put(m.Key(), m)
		}); err != nil {
			t.Fatal(err)
		}
		if row.global != "" {
			for line := range strings.SplitSeq(row.global, "\n") {
				w.Must(t, line)
			}
		}
		if _, err := w.Do(row.line); enginetest.Say(err) != row.want {
			t.Errorf("%s: want %q, got %q", name, row.want, enginetest.Say(err))
		}
	}
}
