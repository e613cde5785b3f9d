// SPDX-License-Identifier: Apache-2.0

package endpoint_test

import (
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/master/enginetest"
)

// row is a request and its answer: the result, or the refusal with its field and its remedy.
type row struct {
	name  string
	given []string // what has been before; a pause like 5s lets that time pass
	do    string
	want  string
}

// try executes each row in its own cluster, whose clock starts at noon and advances only by rows.
func try(t *testing.T, o enginetest.Options, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			now := time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
			o.Now = func() time.Time { return now }
			w := enginetest.Start(t, o)
			for _, line := range r.given {
				if pause, err := time.ParseDuration(line); err == nil {
					now = now.Add(pause)
					if err := w.Service.ExpireNow(t.Context()); err != nil {
						t.Fatal(err)
					}
					continue
				}
				w.Must(t, line)
			}
			got, err := w.Do(r.do)
			if err != nil {
				got = enginetest.Say(err)
			}
			if got != r.want {
				t.Errorf("%s\nwant %q\ngot  %q", r.do, r.want, got)
			}
		})
	}
}

const (
	blue = "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254"
	tiny = "network tiny encap=vxlan subnet=10.2.2.0/30"
)

func TestCreate(t *testing.T) {
	pool := []string{blue, "group web networkName=blue ipPool=10.1.1.10-10.1.1.11"}
	try(t, enginetest.Options{}, []row{
		{"the lowest free address", []string{blue}, "attach blue c1", "10.1.1.1"},
		{"the next one", []string{blue, "attach blue c1"}, "attach blue c2", "10.1.1.2"},
		{"in turn: not one that was given back", []string{blue, "attach blue c1", "attach blue c2", "detach blue c1", "detach blue c2"}, "attach blue c3",
			"10.1.1.3"},
		{"nor the one after one that was asked for", []string{blue, "attach blue c1", "attach blue c2 address=10.1.1.9"}, "attach blue c3",
			"10.1.1.2"},
		{"from the beginning again", []string{tiny, "attach tiny c1", "attach tiny c2", "detach tiny c1"}, "attach tiny c3",
			"10.2.2.1"},
		{"both families", []string{"network blue encap=vxlan subnet=10.1.1.0/24 ipv6Subnet=fd01::/64"}, "attach blue c1",
			"10.1.1.1 fd01::1"},
		{"the wanted address", []string{blue}, "attach blue c1 address=10.1.1.77", "10.1.1.77"},
		{"from the group's pool", pool, "attach blue c1 group=web", "10.1.1.10"},
		{"outside of pools without a group", append(pool[:2:2], "attach blue c9 address=10.1.1.9"), "attach blue c1",
			"10.1.1.1"},
		{"once more", []string{blue, "attach blue c1 address=10.1.1.77"}, "attach blue c1", "10.1.1.77"},
		{"an address that is taken", []string{blue, "attach blue c1 address=10.1.1.77"}, "attach blue c2 address=10.1.1.77",
			"conflict IPAddress: requested address 10.1.1.77 is not available (endpoint default:blue:c1 has it)"},
		{"the gateway's", []string{blue}, "attach blue c1 address=10.1.1.254",
			"conflict IPAddress: requested address is not available: 10.1.1.254 in 10.1.1.0/24: address is reserved (free are 10.1.1.1-10.1.1.253)"},
		{"an address elsewhere", []string{blue}, "attach blue c1 address=10.9.9.9",
			"conflict IPAddress: requested address is not available: 10.9.9.9 is not given out by 10.1.1.0/24: address is out of range (free are 10.1.1.1-10.1.1.253)"},
		{"an address elsewhere, where nothing is free", []string{tiny, "attach tiny c1", "attach tiny c2"}, "attach tiny c3 address=10.9.9.9",
			"conflict IPAddress: requested address is not available: 10.9.9.9 is not given out by 10.2.2.0/30: address is out of range (no address is free: remove containers, or use a larger subnet)"},
		{"what is no address", []string{blue}, "attach blue c1 address=ten",
			`invalid ConfigEP.IPAddress: "ten" is not an IP address (ConfigEP.IPAddress takes an address such as 10.1.1.7)`},
		{"a full pool", append(pool[:2:2], "attach blue c1 group=web", "attach blue c2 group=web"), "attach blue c3 group=web",
			"exhausted: auto allocation failed - address exhaustion in pool 10.1.1.10-10.1.1.11 (remove containers, or use a larger subnet: netctl network inspect --tenant default blue shows who has the addresses)"},
		{"a full network", []string{tiny, "attach tiny c1", "attach tiny c2"}, "attach tiny c3",
			"exhausted: auto allocation failed - address exhaustion in default:tiny (remove containers, or use a larger subnet: netctl network inspect --tenant default tiny shows who has the addresses)"},
		{"no such tenant", nil, "attach blue c1 tenantName=acme",
			"not-found TenantName: Tenant not found (create it with netctl tenant create acme)"},
		{"no such network", nil, "attach blue c1",
			"not-found NetworkName: network default:blue not found (create it with netctl network create --tenant default --subnet ADDRESS/LENGTH blue)"},
		{"no such group", []string{blue}, "attach blue c1 group=web",
			"not-found ServiceName: endpoint group default:web not found (create it with netctl group create --tenant default blue web)"},
		{"a group of another network", append(pool[:2:2], tiny), "attach tiny c1 group=web",
			"invalid ServiceName: group web is not on network tiny (it is on network blue)"},
		{"where ids of the original read the same", []string{"tenant t", "tenant t-x", "network n encap=vxlan subnet=10.3.3.0/24 tenantName=t",
			"network n encap=vxlan subnet=10.3.3.0/24 tenantName=t-x", "attach n y tenantName=t-x"}, "attach n x-y tenantName=t",
			"10.3.3.1"},
		{"moved: nobody claims to be the first host", []string{blue, "attach blue c1 host=h1"}, "attach blue c1 host=h2",
			"10.1.1.1"},
		{"gone, and gone again", []string{blue, "attach blue c1", "detach blue c1"}, "detach blue c1",
			"not-found EndpointID: endpoint default:blue:c1 not found (nothing is left to do)"},
		{"gone, of no network", nil, "detach blue c1",
			"not-found EndpointID: endpoint default:blue:c1 not found (nothing is left to do)"},
	})
}

func TestAddresses(t *testing.T) {
	try(t, enginetest.Options{}, []row{
		{"allocated", []string{blue}, "allocate blue.default", "10.1.1.1/24"},
		{"allocated from a pool", []string{blue, "group web networkName=blue ipPool=10.1.1.10-10.1.1.11"}, "allocate blue:web.default",
			"10.1.1.10/24"},
		{"allocated by subnet", []string{blue}, "allocate pool=10.1.1.0/24", "10.1.1.1/24"},
		{"the preferred one", []string{blue}, "allocate blue.default address=10.1.1.50", "10.1.1.50/24"},
		{"the preferred one is taken", []string{blue, "attach blue c1 address=10.1.1.50"}, "allocate blue.default address=10.1.1.50",
			"conflict IPAddress: requested address 10.1.1.50 is not available (endpoint default:blue:c1 has it)"},
		{"held for its endpoint", []string{blue, "allocate blue.default"}, "attach blue c1 address=10.1.1.1",
			"10.1.1.1"},
		{"held from others", []string{blue, "allocate blue.default"}, "attach blue c1", "10.1.1.2"},
		{"held no longer", []string{blue, "allocate blue.default", "1h"}, "attach blue c1 address=10.1.1.1", "10.1.1.1"},
		{"released", []string{blue, "allocate blue.default", "release blue.default 10.1.1.1"}, "attach blue c1 address=10.1.1.1",
			"10.1.1.1"},
		{"released while an endpoint has it", []string{blue, "attach blue c1", "release blue.default 10.1.1.1"}, "attach blue c2",
			"10.1.1.2"},
		{"held for an endpoint, of the other family", []string{"network blue encap=vxlan subnet=10.1.1.0/24 ipv6Subnet=fd01::/64", "allocate blue.default pool=fd01::/64"},
			"attach blue c1 address=fd01::1", `invalid ConfigEP.IPAddress: fd01::1 is not an IPv4 address (ConfigEP.IPAddress takes an address such as 10.1.1.7)`},
		{"held for an endpoint, as if of the other family", []string{"network blue encap=vxlan subnet=10.1.1.0/24 ipv6Subnet=fd01::/64", "allocate blue.default"},
			"attach blue c1 address6=10.1.1.1", `invalid ConfigEP.IPv6Address: 10.1.1.1 is not an IPv6 address (ConfigEP.IPv6Address takes an address such as fd01::7)`},
		{"no such network", nil, "allocate blue.default",
			`not-found NetworkID: network not found (the id is "blue.default", which is network.tenant; netctl network ls --all lists them)`},
		{"no such group", []string{blue}, "allocate blue:web.default",
			`not-found NetworkID: endpoint group not found (the id is "default:web"; netctl group ls --all lists them)`},
		{"no such subnet", []string{blue}, "allocate pool=10.9.0.0/16",
			"not-found AddressPool: network not found (the subnet is 10.9.0.0/16; netctl network ls --all lists them)"},
		{"what is no subnet", []string{blue}, "allocate pool=ten",
			`invalid AddressPool: "ten" is not a subnet (AddressPool takes address/length, or set NetworkID)`},
		{"what is no address", []string{blue}, "release blue.default ten",
			`invalid IPv4Address: "ten" is not an IP address (IPv4Address takes an address such as 10.1.1.7)`},
	})
	try(t, enginetest.Options{ClusterMode: "swarm-mode"}, []row{
		{"swarm asks for a gateway before the network exists", nil, "allocate pool=10.9.0.0/16", "10.9.0.1/16"},
	})
}

func TestQuarantine(t *testing.T) {
	try(t, enginetest.Options{}, []row{
		{"for a time", []string{blue}, "quarantine blue.default 10.1.1.1 seconds=60", "12:01:00"},
		{"until released", []string{blue}, "quarantine blue.default 10.1.1.1", ""},
		{"from everybody", []string{blue, "quarantine blue.default 10.1.1.1"}, "attach blue c1", "10.1.1.2"},
		{"from who wants it", []string{blue, "quarantine blue.default 10.1.1.1"}, "attach blue c1 address=10.1.1.1",
			"conflict IPAddress: requested address 10.1.1.1 is not available (a quarantine has it)"},
		{"over", []string{blue, "quarantine blue.default 10.1.1.1 seconds=60", "61s"}, "attach blue c1 address=10.1.1.1",
			"10.1.1.1"},
		{"for longer", []string{blue, "quarantine blue.default 10.1.1.1 seconds=60", "30s"}, "quarantine blue.default 10.1.1.1 seconds=60",
			"12:01:30"},
		{"freed", []string{blue, "quarantine blue.default 10.1.1.1"}, "free blue.default 10.1.1.1", "true"},
		{"freed, and free already", []string{blue}, "free blue.default 10.1.1.1", "false"},
		{"of an address in use", []string{blue, "attach blue c1"}, "quarantine blue.default 10.1.1.1",
			"conflict address: requested address 10.1.1.1 is not available (endpoint default:blue:c1 has it)"},
		{"freed while in use", []string{blue, "attach blue c1"}, "free blue.default 10.1.1.1",
			"in-use address: endpoint default:blue:c1 has 10.1.1.1 (remove the owner, and the address goes with it)"},
		{"for no time", []string{blue}, "quarantine blue.default 10.1.1.1 seconds=-1",
			"invalid seconds: -1 seconds are no time to keep an address (0 keeps it until it is released; ten years are the most)"},
		{"of no network", nil, "quarantine blue.default 10.1.1.1",
			"not-found network: network blue.default not found (netctl network ls --all shows the networks)"},
		{"of an address elsewhere", []string{blue}, "quarantine blue.default 10.9.9.9",
			"invalid address: 10.9.9.9 is no address that network blue.default gives out (netctl ip show blue shows what it has)"},
	})
	try(t, enginetest.Options{Quarantine: rest(time.Minute)}, []row{
		{"a released address rests", []string{blue, "attach blue c1", "detach blue c1"}, "attach blue c2",
			"10.1.1.2"},
		{"and is given again", []string{tiny, "attach tiny c1", "attach tiny c2", "detach tiny c2", "detach tiny c1", "61s"}, "attach tiny c3",
			"10.2.2.1"},
		{"to who wants it at once", []string{blue, "attach blue c1", "detach blue c1"}, "attach blue c2 address=10.1.1.1",
			"10.1.1.1"},
		{"or when no other is left", []string{tiny, "attach tiny c1", "attach tiny c2", "detach tiny c1"}, "attach tiny c3",
			"10.2.2.1"},
	})
}

func TestForgetHost(t *testing.T) {
	try(t, enginetest.Options{}, []row{
		{"no such host", nil, "forget h1",
			"not-found host: no machine has the host label h1 (netctl node ls shows the hosts)"},
		{"what it leaves", []string{blue, "attach blue c1", "attach blue c2 host=h2"}, "forget h1",
			"left default:blue:c1, released 0"},
		{"with its endpoints", []string{blue, "attach blue c1", "attach blue c2 host=h2"}, "forget h1 release=true",
			"left , released 1"},
		{"their addresses are free", []string{blue, "attach blue c1", "forget h1 release=true"}, "attach blue c3 address=10.1.1.1",
			"10.1.1.1"},
	})
}
