// SPDX-License-Identifier: Apache-2.0

package packetfilter

import (
	"net/netip"
	"os/exec"
	"strings"
	"testing"
)

// tunnel is the first packet of a tunnel that arrives.
func tunnel() *Packet {
	return &Packet{Protocol: "udp", Port: 4789, Interface: "eth0", Local: netip.MustParseAddr("192.0.2.1"), Remote: netip.MustParseAddr("192.0.2.2")}
}

// inNamespace runs a script in a network namespace of its own, and returns its output.
func inNamespace(t *testing.T, script, input string) []byte {
	t.Helper()
	cmd := exec.Command("unshare", "--net", "sh", "-ec", script)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, input)
	}
	return out
}

const base = "add table inet f\nadd chain inet f in { type filter hook input priority 0; policy POLICY; }\nadd chain inet f out { type filter hook output priority 0; }\nadd chain inet f more\n" +
	"add set inet f known { type ipv4_addr; flags interval; elements = { 192.0.2.0/24, 198.51.100.1-198.51.100.9 }; }\n"

// The rules of a real nftables.
func TestNftables(t *testing.T) {
	for name, c := range map[string]struct {
		rules  []string // with their chain
		policy string
		change func(p *Packet)
		want   string // rule, chain and remedy of the first obstacle, "perhaps " before an uncertain one; "": none
	}{
		"no rules":             {},
		"a policy":             {policy: "drop", want: "policy drop | inet f in | nft insert rule inet f in udp dport 4789 accept"},
		"a port":               {rules: []string{"in udp dport 4789 counter drop"}, want: "udp dport 4789 counter drop | inet f in | nft insert rule inet f in udp dport 4789 accept"},
		"another port":         {rules: []string{"in udp dport 4790 drop"}},
		"another protocol":     {rules: []string{"in tcp dport 4789 drop"}},
		"accepted before":      {rules: []string{"in udp dport { 53, 4700-4800 } accept", "in udp dport 4789 drop"}, policy: "drop"},
		"negated":              {rules: []string{"in udp dport != 4789 accept", "in meta l4proto udp reject"}, want: "meta l4proto udp reject | inet f in | nft insert rule inet f in udp dport 4789 accept"},
		"established":          {rules: []string{"in ct state established,related accept", "in ct state invalid drop", "in th dport 4789 drop"}, want: "th dport 4789 drop | inet f in | nft insert rule inet f in udp dport 4789 accept"},
		"another interface":    {rules: []string{`in iifname "lo" drop`, `in iifname "wg*" drop`}},
		"its interface":        {rules: []string{`in iifname "eth*" drop`}, want: `iifname "eth*" drop | inet f in | nft insert rule inet f in udp dport 4789 accept`},
		"a jump":               {rules: []string{"in meta l4proto udp jump more", "in accept", "more udp dport 4789 drop"}, want: "udp dport 4789 drop | inet f more | nft insert rule inet f more udp dport 4789 accept"},
		"a jump that returns":  {rules: []string{"in jump more", "in accept", "more udp dport 4789 return", "more drop"}},
		"a jump that does not": {rules: []string{"in goto more", "in drop", "more tcp dport 1 accept"}},
		"a verdict map":        {rules: []string{"in udp dport vmap { 53 : accept, 4789 : drop }"}, want: "udp dport vmap { 53 : accept, 4789 : drop } | inet f in | nft insert rule inet f in udp dport 4789 accept"},
		"a known sender":       {rules: []string{"in ip saddr @known accept"}, policy: "drop"},
		"a sender of a range":  {rules: []string{"in ip saddr @known drop"}, change: func(p *Packet) { p.Remote = netip.MustParseAddr("198.51.100.9") }, want: "ip saddr @known drop | inet f in | nft insert rule inet f in udp dport 4789 accept"},
		"another sender":       {rules: []string{"in ip saddr @known drop"}, change: func(p *Packet) { p.Remote = netip.MustParseAddr("203.0.113.1") }},
		"an unknown sender":    {rules: []string{"in ip saddr @known accept"}, policy: "drop", change: func(p *Packet) { p.Remote = netip.Addr{} }, want: "perhaps policy drop | inet f in | nft insert rule inet f in udp dport 4789 accept"},
		"a rate":               {rules: []string{"in udp dport 4789 limit rate 5/second drop"}, want: "perhaps udp dport 4789 limit rate 5/second drop | inet f in | nft insert rule inet f in udp dport 4789 accept"},
		"out is not in":        {rules: []string{"out udp dport 4789 drop"}},
		"out":                  {rules: []string{`out oifname "eth0" udp dport 4789 drop`}, change: func(p *Packet) { p.Outgoing = true }, want: `oifname "eth0" udp dport 4789 drop | inet f out | nft insert rule inet f out udp dport 4789 accept`},
		"IPv6, and a rule of IPv4": {rules: []string{"in ip saddr 0.0.0.0/0 drop"}, change: func(p *Packet) {
			p.Local, p.Remote = netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")
		}},
	} {
		policy := c.policy
		if policy == "" {
			policy = "accept"
		}
		script := strings.ReplaceAll(base, "POLICY", policy)
		for _, r := range c.rules {
			script += "add rule inet f " + r + "\n"
		}
		parts := strings.SplitN(string(inNamespace(t, "nft -f -; nft -j list ruleset; echo =====; nft -a -s list ruleset", script)), "=====\n", 2)
		p := tunnel()
		if c.change != nil {
			c.change(p)
		}
		found, err := Nftables([]byte(parts[0]), []byte(parts[1]), nil, p)
		if got := first(found); err != nil || got != c.want {
			t.Errorf("%s:\n got  %s, %v\n want %s", name, got, err, c.want)
		}
		found, err = Nftables([]byte(parts[0]), []byte(parts[1]), []string{"inet f"}, p)
		if err != nil || len(found) > 0 {
			t.Errorf("%s: want a managed table skipped, got %v, %v", name, found, err)
		}
	}
}

// first describes the first obstacle.
func first(all []Obstacle) string {
	if len(all) == 0 {
		return ""
	}
	text := all[0].Rule + " | " + all[0].Chain + " | " + all[0].Remedy
	if !all[0].Certain {
		return "perhaps " + text
	}
	return text
}

// The rules of a real iptables.
func TestIptables(t *testing.T) {
	for name, c := range map[string]struct {
		rules, want string
		outgoing    bool
	}{
		"a port":           {rules: "-A INPUT -p udp -m udp --dport 4789 -j DROP", want: "-A INPUT -p udp -m udp --dport 4789 -j DROP | filter INPUT | iptables -t filter -I INPUT -p udp --dport 4789 -j ACCEPT"},
		"ports":            {rules: "-A INPUT -p udp -m multiport --dports 53,4700:4800 -j REJECT", want: "-A INPUT -p udp -m multiport --dports 53,4700:4800 -j REJECT --reject-with icmp-port-unreachable | filter INPUT | iptables -t filter -I INPUT -p udp --dport 4789 -j ACCEPT"},
		"not this port":    {rules: "-A INPUT -p udp -m udp ! --dport 4789 -j DROP"},
		"a chain":          {rules: "-A INPUT -i eth+ -j more\n-A INPUT -j ACCEPT\n-A more -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n-A more -m comment --comment \"no \\\"VXLAN\\\"\" -j DROP", want: `-A more -m comment --comment "no \"VXLAN\"" -j DROP | filter more | iptables -t filter -I more -p udp --dport 4789 -j ACCEPT`},
		"another machine":  {rules: "-A INPUT -s 203.0.113.0/24 -j DROP"},
		"accepted":         {rules: "-A INPUT -s 192.0.2.0/24 -j ACCEPT\n-A INPUT -j DROP"},
		"an unknown match": {rules: "-A INPUT -m limit --limit 5/sec -j DROP", want: "perhaps "},
		"out":              {rules: "-A OUTPUT -o eth0 -p udp -j DROP", outgoing: true, want: "-A OUTPUT -o eth0 -p udp -j DROP | filter OUTPUT | iptables -t filter -I OUTPUT -p udp --dport 4789 -j ACCEPT"},
	} {
		saved := inNamespace(t, "iptables-restore; iptables-save", "*filter\n:INPUT ACCEPT\n:OUTPUT ACCEPT\n:more -\n"+c.rules+"\nCOMMIT\n")
		p := tunnel()
		p.Outgoing = c.outgoing
		if got := first(Iptables(saved, "iptables", p)); got != c.want && (c.want != "perhaps " || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s:\n got  %s\n want %s\n%s", name, got, c.want, saved)
		}
		if m := Managed(saved, "ip"); len(m) != 1 || m[0] != "ip filter" {
			t.Errorf("%s: managed tables: got %v, want ip filter", name, m)
		}
	}
}

// Damaged output of nft is an error or has no effect beyond its rules; chains that jump to themselves end.
func FuzzNftables(f *testing.F) {
	f.Add([]byte(`{"nftables":[{"chain":{"family":"inet","table":"f","name":"in","hook":"input","policy":"drop"}},{"rule":{"family":"inet","table":"f","chain":"in","expr":[{"vmap":{"key":{"meta":{"key":"l4proto"}},"data":{"set":[["udp",{"jump":{"target":"in"}}]]}}}]}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := Nftables(text, text, nil, tunnel()); err != nil && !strings.HasPrefix(err.Error(), "rules of nftables: ") {
			t.Error(err)
		}
	})
}

// Damaged output of iptables-save names no rule of a chain that no packet passes.
func FuzzIptables(f *testing.F) {
	f.Add([]byte("*filter\n:INPUT DROP\n-A INPUT ! -p udp -j \"a b\"\nCOMMIT"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, o := range Iptables(text, "iptables", tunnel()) {
			if o.Chain == "" || o.Rule == "" {
				t.Errorf("got %+v, want a rule and its chain", o)
			}
		}
	})
}
