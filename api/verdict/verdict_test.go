// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// tenant returns three groups on two networks; each rule of the text is "policy id dir proto port peer action priority".
func tenant(t *testing.T, text string) *Policies {
	t.Helper()
	groups := []model.Object{
		&model.EndpointGroup{TenantName: "t", GroupName: "app", NetworkName: "n1", Policies: []string{"app"}},
		&model.EndpointGroup{TenantName: "t", GroupName: "db", NetworkName: "n2", Policies: []string{"db"}},
		&model.EndpointGroup{TenantName: "t", GroupName: "web", NetworkName: "n1", IpPool: "10.1.1.100-10.1.1.110"},
		&model.EndpointGroup{TenantName: "t", GroupName: "six", NetworkName: "n6", Policies: []string{"six"}},
		&model.EndpointGroup{TenantName: "else", GroupName: "web", NetworkName: "n1"},
	}
	networks := []model.Object{&model.Network{TenantName: "t", NetworkName: "n1", Subnet: "10.1.1.0/24"},
		&model.Network{TenantName: "t", NetworkName: "n2", Subnet: "10.2.1.10-10.2.1.20/24"},
		&model.Network{TenantName: "t", NetworkName: "n6", Subnet: "10.6.1.0/24", Ipv6Subnet: "fd06::/64"}}
	var rules []model.Object
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		r := &model.Rule{TenantName: "t", PolicyName: f[0], RuleId: f[1], Direction: f[2], Action: f[6]}
		if f[3] != "-" {
			r.Protocol = f[3]
		}
		for _, d := range f[4] {
			r.Port = r.Port*10 + int(d-'0')
		}
		for _, d := range f[7] {
			r.Priority = r.Priority*10 + int(d-'0')
		}
		kind, name, _ := strings.Cut(f[5], "=")
		peers := map[string]*string{"in g": &r.FromEndpointGroup, "in n": &r.FromNetwork, "in a": &r.FromIpAddress,
			"out g": &r.ToEndpointGroup, "out n": &r.ToNetwork, "out a": &r.ToIpAddress, "in own": &r.ToIpAddress}
		if p := peers[r.Direction+" "+kind]; p != nil {
			*p = name
		}
		rules = append(rules, r)
	}
	return New("t", groups, networks, rules)
}

func TestBetween(t *testing.T) {
	tests := []struct{ name, rules, from, to, want, by string }{
		{"no rules", "", "web", "db", "all", ""},
		{"closed", "db base in - 0 any deny 1", "web", "db", "none", "base"},
		{"the priority decides", "db base in tcp 0 any deny 1\ndb pg in tcp 5432 g=app allow 10", "app", "db", "all -tcp +tcp 5432", "pg"},
		{"the other group is not named", "db base in tcp 0 any deny 1\ndb pg in tcp 5432 g=app allow 10", "web", "db", "all -tcp", "base"},
		{"of equals the denial", "db a in tcp 80 any allow 5\ndb d in tcp 80 any deny 5", "web", "db", "all -tcp 80", "d"},
		{"only what is let in", "db base in - 0 any deny 1\ndb a in udp 53 n=n1 allow 2", "web", "db", "udp 53", "a"},
		{"the sender's side", "app no out - 0 g=db deny 1", "app", "db", "none", "no"},
		{"the sender's side elsewhere", "app no out - 0 g=db deny 1", "app", "web", "all", ""},
		{"both sides must let pass", "app y out tcp 80 any allow 9\ndb n in tcp 80 any deny 1", "app", "db", "all -tcp 80", "n"},
		{"icmp is icmpv6 too", "db n in icmp 0 any deny 1", "web", "db", "all -icmp", "n"},
		{"another network", "db n in - 0 n=n2 deny 1", "web", "db", "all", ""},
		{"a subnet around the group", "db n in - 0 a=10.1.0.0/16 deny 1", "web", "db", "none", "n"},
		{"a subnet elsewhere", "db n in - 0 a=10.9.0.0/16 deny 1", "web", "db", "all", ""},
		{"a part of the group", "db n in - 0 a=10.1.1.104 deny 1", "web", "db", "? by address", "n"},
		{"a part without consequence", "db a in - 0 a=10.1.1.104 allow 2", "web", "db", "all", ""},
		{"an IPv6 subnet of a group that has both", "db n in - 0 a=fd06::/64 deny 1", "six", "db", "? by address", "n"},
		{"an IPv6 subnet elsewhere", "db n in - 0 a=fd07::/64 deny 1", "six", "db", "all", ""},
		{"an IPv6 subnet and a group without", "db n in - 0 a=fd06::/64 deny 1", "web", "db", "all", ""},
		{"all IPv4 of a group that has both", "db n in - 0 a=10.6.0.0/16 deny 1", "six", "db", "? by address", "n"},
		{"an IPv6 subnet outside", "db n in - 0 a=fd06::/64 deny 1", "outside", "db", "? by address", "n"},
		{"one of the own", "db n in - 0 own=10.2.1.11 deny 1", "web", "db", "? by address", "n"},
		{"outside has no group", "db n in - 0 g=web deny 1", "outside", "db", "all", ""},
		{"outside by address", "db n in tcp 0 a=192.0.2.0/24 deny 1", "outside", "db", "all ?tcp", "n"},
		{"to the outside", "app n out udp 0 any deny 1", "app", "outside", "all -udp", "n"},
		{"a port without protocol denies all", "db n in - 80 g=absent deny 1", "web", "db", "none", "n"},
		{"a port without protocol allows nothing", "db base in - 0 any deny 1\ndb n in - 80 any allow 9", "web", "db", "none", "base"},
		{"only outside", "", "outside", "outside", "not judged", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := tenant(t, tt.rules)
			parties := map[string]Party{}
			for _, x := range p.Parties() {
				parties[x.Name()] = x
			}
			list := p.Between(parties[tt.from], parties[tt.to])
			if got := Sum(list).Text; got != tt.want {
				t.Errorf("want %q, got %q of %v", tt.want, got, list)
			}
			if by := decisive(list); by != tt.by {
				t.Errorf("decided by: want %q, got %q", tt.by, by)
			}
		})
	}
}

// decisive returns the rule of the first class that a rule decides.
func decisive(list []Decision) string {
	for _, d := range list {
		if r := d.By(); r != nil {
			return r.RuleId
		}
	}
	return ""
}

func FuzzSpace(f *testing.F) {
	for _, s := range []string{"", "10.0.0.1", "10.0.0.0/8", "10.0.0.1-9", "10.0.0.1-10.0.0.9/24", "1.2.3.4-", "-", "/", "1.2.3.4/33", "::1/64", "::1-9", "::1/129", "::ffff:1.2.3.4", "fe80::1%1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s := parseSpace(text); s.valid() && (s.last.Less(s.first) || s.first.Is4() != s.last.Is4()) {
			t.Errorf("%q: %v to %v is no range", text, s.first, s.last)
		}
	})
}
