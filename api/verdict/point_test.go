// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// at returns an address of a group, or one outside if the group is "".
func at(group, addr string) Point {
	p := Point{Addr: netip.MustParseAddr(addr)}
	if group != "" {
		p.Group = &model.EndpointGroup{TenantName: "t", GroupName: group, Policies: map[string][]string{"app": {"app"}, "db": {"db"}, "six": {"six"}}[group]}
		p.Network = map[string]string{"app": "n1", "web": "n1", "db": "n2", "six": "n6"}[group]
	}
	return p
}

func TestPacket(t *testing.T) {
	web, db, out := at("web", "10.1.1.105"), at("db", "10.2.1.12"), at("", "192.0.2.9")
	out6 := at("", "2001:db8::9")
	ssh := Traffic{Protocol: TCP, Port: 22}
	tests := []struct {
		name, rules string
		from, to    Point
		traffic     Traffic
		fate        Fate
		by          string
	}{
		{"no rules", "", web, db, ssh, Allowed, ""},
		{"closed", "db base in - 0 any deny 1", web, db, ssh, Denied, "base"},
		{"the priority decides", "db base in tcp 0 any deny 1\ndb ssh in tcp 22 any allow 2", web, db, ssh, Allowed, "ssh"},
		{"of equals the denial", "db a in tcp 22 any allow 2\ndb d in tcp 22 any deny 2", web, db, ssh, Denied, "d"},
		{"another port", "db a in tcp 80 any deny 2", web, db, ssh, Allowed, ""},
		{"the group", "db a in - 0 g=web deny 2", web, db, ssh, Denied, "a"},
		{"another group", "db a in - 0 g=app deny 2", web, db, ssh, Allowed, ""},
		{"a group is not outside", "db a in - 0 g=web deny 2", out, db, ssh, Allowed, ""},
		{"the network", "db a in - 0 n=n1 deny 2", web, db, ssh, Denied, "a"},
		{"another network", "db a in - 0 n=n2 deny 2", web, db, ssh, Allowed, ""},
		{"a machine of the network outside", "db a in - 0 n=n1 deny 2", at("", "10.1.1.200"), db, ssh, Denied, "a"},
		{"the address", "db a in - 0 a=10.1.1.105 deny 2", web, db, ssh, Denied, "a"},
		{"another address of the group", "db a in - 0 a=10.1.1.104 deny 2", web, db, ssh, Allowed, ""},
		{"a subnet outside", "db a in - 0 a=192.0.2.0/24 deny 2", out, db, ssh, Denied, "a"},
		{"an address is IPv4", "db a in - 0 a=10.1.1.0/24 deny 2", at("web", "2001:db8::5"), db, ssh, Allowed, ""},
		{"an IPv6 address", "db a in - 0 a=fd06::5 deny 2", at("six", "fd06::5"), db, ssh, Denied, "a"},
		{"an IPv6 address, spelled otherwise", "db a in - 0 a=FD06:0::0005 deny 2", at("six", "fd06::5"), db, ssh, Denied, "a"},
		{"another IPv6 address", "db a in - 0 a=fd06::5 deny 2", at("six", "fd06::6"), db, ssh, Allowed, ""},
		{"an IPv6 subnet outside", "db a in - 0 a=2001:db8::/32 deny 2", at("", "2001:db8:ffff::1"), db, ssh, Denied, "a"},
		{"beyond an IPv6 subnet", "db a in - 0 a=2001:db8::/32 deny 2", at("", "2001:db9::1"), db, ssh, Allowed, ""},
		{"an IPv6 subnet is not IPv4", "db a in - 0 a=::/1 deny 2", web, db, ssh, Allowed, ""},
		{"the container's own IPv6 address", "six a in - 0 own=fd06::5 deny 2", out6, at("six", "fd06::5"), ssh, Denied, "a"},
		{"an IPv6 machine of the network outside", "db a in - 0 n=n6 deny 2", at("", "fd06::99"), db, ssh, Denied, "a"},
		{"an IPv6 machine of none", "db a in - 0 n=n6 deny 2", at("", "fd07::99"), db, ssh, Allowed, ""},
		{"IPv6 of a network that has none", "db a in - 0 n=n1 deny 2", at("", "fd07::99"), db, ssh, Allowed, ""},
		{"the container itself", "db a in - 0 own=10.2.1.12 deny 2", web, db, ssh, Denied, "a"},
		{"another container", "db a in - 0 own=10.2.1.13 deny 2", web, db, ssh, Allowed, ""},
		{"the sender's side", "app no out - 0 g=db deny 1", at("app", "10.1.1.7"), db, ssh, Denied, "no"},
		{"both must let pass", "app y out tcp 22 any allow 9\ndb n in tcp 22 any deny 1", at("app", "10.1.1.7"), db, ssh, Denied, "n"},
		{"icmp is icmpv6 too", "db n in icmp 0 any deny 1", web, db, Traffic{Protocol: ICMPv6}, Denied, "n"},
		{"a port without a protocol closes", "db n in - 22 any deny 1", web, db, Traffic{Protocol: UDP, Port: 5}, Denied, "n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := tenant(t, test.rules).Packet(test.from, test.to, test.traffic)
			by := ""
			if r := d.By(); r != nil {
				by = r.RuleId
			}
			if d.Fate != test.fate || by != test.by {
				t.Errorf("want %s by %q, got %s by %q", test.fate, test.by, d.Fate, by)
			}
		})
	}
}

// Only rules about ICMP apply to answers to pings.
func TestEcho(t *testing.T) {
	app, db := at("app", "10.1.1.7"), at("db", "10.2.1.12")
	for rules, want := range map[string]Fate{"db n in icmp 0 any deny 1": Denied, "db n in - 0 any deny 1": Allowed, "app n out icmp 0 g=db deny 1": Denied} {
		if d := tenant(t, rules).Echo(app, db); d.Fate != want {
			t.Errorf("%q: want %s, got %s", rules, want, d.Fate)
		}
	}
}
