// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"os"
	"testing"

	"github.com/contiv/contiv/ofnet/ofnettest"
)

// TestDirect traces what hosts and endpoints say to each other by their own addresses, on the switch of h1.
func TestDirect(t *testing.T) {
	text, err := os.ReadFile("testdata/directstate.txt")
	if err != nil {
		t.Fatal(err)
	}
	l := newLabOf(t, ofnettest.Parse(t, string(text)))
	const (
		host = "in_port=1002,dl_src=02:02:ac:13:ff:fe,dl_dst=" + router + ","
		b1   = "in_port=4,dl_src=02:02:67:01:00:01,"
		c1   = "in_port=7,dl_src=02:02:69:01:00:01,dl_dst=" + router + ","
		out  = "src=00:00:11:11:11:11 dst=02:02:ac:13:ff:fe "
	)
	for _, row := range []struct{ name, in, want string }{
		{"own host to an endpoint", host + "tcp,nw_src=10.254.0.1,nw_dst=10.1.0.1,nw_ttl=64", "src=00:00:11:11:11:11 dst=02:02:65:01:00:01 ttl=63 p1"},
		{"over IPv6", host + "tcp6,ipv6_src=fd0e::1,ipv6_dst=fd01::1,nw_ttl=64", "src=00:00:11:11:11:11 dst=02:02:65:01:00:01 p1"},
		{"on a bridged VLAN", host + "tcp,nw_src=10.254.0.1,nw_dst=10.2.0.1,nw_ttl=64", "src=00:00:11:11:11:11 dst=02:02:67:01:00:01 ttl=63 p4"},
		{"on a routed VLAN", host + "tcp,nw_src=10.254.0.1,nw_dst=10.5.0.1,nw_ttl=64", "commit zone 2; src=00:00:11:11:11:11 dst=02:02:6a:01:00:01 ttl=63 p8"},
		{"refused by a rule", host + "tcp,nw_src=10.254.0.1,nw_dst=10.3.0.1,nw_ttl=64", "drop"},
		{"to one elsewhere", host + "tcp,nw_src=10.254.0.1,nw_dst=10.1.0.2,nw_ttl=64", "src=00:00:11:11:11:11 dst=02:02:65:01:00:02 ttl=63 tunnel 192.168.251.2 vni 5001"},
		{"of a tenant with rules, which are asked there", host + "tcp,nw_src=10.254.0.1,nw_dst=10.3.0.2,nw_ttl=64", "src=00:00:11:11:11:11 dst=02:02:69:02:00:02 ttl=63 tunnel 192.168.251.2 vni 5003"},
		{"on a bridged VLAN elsewhere", host + "tcp,nw_src=10.254.0.1,nw_dst=10.2.0.2,nw_ttl=64", "src=02:aa:00:00:00:01 dst=02:02:67:02:00:02 ttl=63 vlan 11 uplink"},
		{"on a routed VLAN elsewhere", host + "tcp,nw_src=10.254.0.1,nw_dst=10.5.0.2,nw_ttl=64", "src=02:aa:00:00:00:01 dst=02:aa:00:00:00:02 ttl=63 vlan 15 uplink"},
		{"to no one", host + "tcp,nw_src=10.254.0.1,nw_dst=10.1.0.77,nw_ttl=64", "drop"},

		{"endpoint to its own host", a1 + "dl_dst=" + router + ",tcp,nw_src=10.1.0.1,nw_dst=10.254.0.1,nw_ttl=64", out + "ttl=63 contivh0"},
		{"to its tunnel's address", a1 + "dl_dst=" + router + ",tcp,nw_src=10.1.0.1,nw_dst=192.168.251.1,nw_ttl=64", out + "ttl=63 contivh0"},
		{"over IPv6 to its own host", a1 + "dl_dst=" + router + ",tcp6,ipv6_src=fd01::1,ipv6_dst=fd0e::1,nw_ttl=64", out + "contivh0"},
		{"by another gateway", b1 + "dl_dst=0e:00:00:00:00:01,tcp,nw_src=10.2.0.1,nw_dst=10.254.0.1,nw_ttl=64", out + "ttl=63 contivh0"},
		{"remembered for a tenant with rules", c1 + "tcp,nw_src=10.3.0.1,nw_dst=10.254.0.1,nw_ttl=64", "commit zone 2; ttl=63 " + out + "contivh0"},
		{"to another host", a1 + "dl_dst=" + router + ",tcp,nw_src=10.1.0.1,nw_dst=192.168.251.2,nw_ttl=64", "ttl=63 tunnel 192.168.251.2 vni 16744448"},
		{"over IPv6 to another host", a1 + "dl_dst=" + router + ",tcp6,ipv6_src=fd01::1,ipv6_dst=fd0e::2,nw_ttl=64", "tunnel 192.168.251.2 vni 16744448"},
		{"by another gateway to another host", b1 + "dl_dst=0e:00:00:00:00:01,tcp,nw_src=10.2.0.1,nw_dst=192.168.251.2,nw_ttl=64", "ttl=63 tunnel 192.168.251.2 vni 16744448"},
		{"to one whose own address is not known", a1 + "dl_dst=" + router + ",tcp,nw_src=10.1.0.1,nw_dst=192.168.251.3,nw_ttl=64", "ttl=63 tunnel 192.168.251.3 vni 16744448"},
		{"with another's address", a1 + "dl_dst=" + router + ",tcp,nw_src=10.1.0.2,nw_dst=10.254.0.1,nw_ttl=64", "drop"},

		{"from an endpoint elsewhere", fromH2 + "tun_id=16744448,tcp,dl_src=02:02:65:01:00:02,dl_dst=" + router + ",nw_src=10.1.0.2,nw_dst=10.254.0.1,nw_ttl=63", out + "contivh0"},
		{"and over IPv6", fromH2 + "tun_id=16744448,tcp6,dl_src=02:02:65:01:00:02,dl_dst=" + router + ",ipv6_src=fd01::2,ipv6_dst=fd0e::1", out + "contivh0"},
		{"for another host, which is not passed on", fromH2 + "tun_id=16744448,tcp,dl_src=02:02:65:01:00:02,dl_dst=" + router + ",nw_src=10.1.0.2,nw_dst=192.168.251.3", "drop"},
		{"for an endpoint, under the number of hosts", fromH2 + "tun_id=16744448,tcp,dl_src=02:02:65:01:00:02,dl_dst=" + router + ",nw_src=10.1.0.2,nw_dst=10.3.0.1", "drop"},
		{"another host to an endpoint here", fromH2 + "tun_id=5001,tcp,dl_src=" + router + ",dl_dst=02:02:65:01:00:01,nw_src=192.168.251.2,nw_dst=10.1.0.1,nw_ttl=63", "p1"},

		{"default route without a gateway", "in_port=5,arp,dl_src=02:02:68:01:00:01,dl_dst=" + broadcast + ",arp_op=1,arp_sha=02:02:68:01:00:01,arp_spa=10.7.0.1,arp_tpa=172.19.255.254",
			"src=00:00:11:11:11:11 dst=02:02:68:01:00:01 sip=172.19.255.254 tip=10.7.0.1 op=2 sha=00:00:11:11:11:11 tha=02:02:68:01:00:01 p5"},
		{"tenants stay apart", c1 + "tcp,nw_src=10.3.0.1,nw_dst=10.1.0.1,nw_ttl=64", "commit zone 2; ttl=63 " + out + "src=172.19.0.7 contivh0"},
		{"the world, by the private address", a1 + "dl_dst=" + router + ",tcp,nw_src=10.1.0.1,nw_dst=8.8.8.8,nw_ttl=64", out + "src=172.19.0.1 ttl=63 contivh0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := l.trace(t, row.in); got != row.want {
				t.Errorf("%s\nwant %s\ngot  %s", row.in, row.want, got)
			}
		})
	}
}
