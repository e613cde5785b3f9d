// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"fmt"
	"net/netip"
	"os/exec"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

func prefixes(list ...string) (out []netip.Prefix) {
	for _, p := range list {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

func TestSetHostPort(t *testing.T) {
	h, ns := open(t)
	ns.IP("link", "add", "hp0", "type", "veth", "peer", "name", "hp1")
	ns.IP("link", "set", "hp1", "up")
	ns.IP("link", "add", "other", "type", "veth", "peer", "name", "other1")
	ns.IP("link", "set", "other", "up")
	ns.IP("route", "add", "10.4.0.0/24", "dev", "other")
	p := link.HostPort{Name: "hp0", MTU: 1450, Addrs: prefixes("10.1.0.1/24", "2001:db8::1/64"), Routes: prefixes("10.2.0.0/24", "10.3.0.0/24", "2001:db8:2::/64")}
	var first string
	for range 2 { // again changes nothing
		if err := h.SetHostPort(p); err != nil {
			t.Fatal(err)
		}
		now := ns.IP("addr", "show", "hp0") + ns.IP("route") + ns.IP("-6", "route")
		if first == "" {
			first = now
		}
		if now != first {
			t.Errorf("again: want the same, got\n%s\nafter\n%s", now, first)
		}
	}
	for _, want := range []string{"mtu 1450", "UP", "inet 10.1.0.1/24", "inet6 2001:db8::1/64", "10.2.0.0/24 dev hp0 proto 141", "10.3.0.0/24 dev hp0", "2001:db8:2::/64 dev hp0"} {
		if !strings.Contains(first, want) {
			t.Errorf("want %q in\n%s", want, first)
		}
	}
	ns.IP("route", "add", "10.9.0.0/24", "dev", "hp0") // someone else's
	p.Addrs = prefixes("10.1.0.3/24", "10.6.0.2/24")   // one in the subnet of that which goes
	p.Routes = prefixes("10.3.0.0/24", "10.4.0.0/24", "10.5.0.0/24")
	err := h.SetHostPort(p)
	if err == nil || !strings.Contains(err.Error(), "10.4.0.0/24") {
		t.Errorf("a route that leads elsewhere: want an error that names it, got %v", err)
	}
	now := ns.IP("addr", "show", "hp0") + ns.IP("route")
	for want, has := range map[string]bool{"10.1.0.3/24": true, "10.6.0.2/24": true, "10.1.0.1/24": false, "10.2.0.0/24": false, "10.3.0.0/24": true,
		"10.5.0.0/24": true, "10.9.0.0/24": true, "10.4.0.0/24 dev other": true} {
		if strings.Contains(now, want) != has {
			t.Errorf("%s: want it there %v, got\n%s", want, has, now)
		}
	}
	if err := h.SetHostPort(link.HostPort{Name: "absent"}); err == nil {
		t.Error("an interface that does not exist: want an error, got none")
	}
}

func TestEnableForwarding(t *testing.T) {
	h, ns := open(t)
	for _, name := range []string{"ra0", "ra1", "ra2", "ra3"} {
		ns.IP("link", "add", name, "type", "veth", "peer", "name", "far"+name)
		if name != "ra2" { // as of a router advertisement
			ns.IP("addr", "add", "fd0"+name[2:]+"::1/64", "dev", name, "valid_lft", "600", "preferred_lft", "600")
		}
	}
	ns.IP("link", "set", "ra3", "group", fmt.Sprint(link.GroupLive))
	for _, setting := range []string{"net.ipv4.ip_forward=0", "net.ipv6.conf.all.forwarding=0", "net.ipv6.conf.default.accept_ra=1", "net.ipv6.conf.ra0.accept_ra=1",
		"net.ipv6.conf.ra1.accept_ra=0", "net.ipv6.conf.ra2.accept_ra=1", "net.ipv6.conf.ra3.accept_ra=1"} {
		if out, err := ns.Exec("sysctl", "-w", setting); err != nil {
			t.Fatal(out, err)
		}
	}
	for _, six := range []bool{false, true} {
		for _, want := range []bool{true, false} {
			if changed, err := h.EnableForwarding(six); err != nil || changed != want {
				t.Errorf("IPv6 %v: want changed %v, got %v, %v", six, want, changed, err)
			}
		}
	}
	// An interface that accepts router advertisements continues to; a container's end, and later interfaces, do not.
	for file, want := range map[string]string{"ipv4/ip_forward": "1", "ipv6/conf/all/forwarding": "1", "ipv6/conf/ra0/accept_ra": "2", "ipv6/conf/ra1/accept_ra": "0",
		"ipv6/conf/ra2/accept_ra": "1", "ipv6/conf/ra3/accept_ra": "1", "ipv6/conf/default/accept_ra": "1"} {
		if out, err := ns.Exec("cat", "/proc/sys/net/"+file); err != nil || strings.TrimSpace(out) != want {
			t.Errorf("%s: want %s, got %s, %v", file, want, out, err)
		}
	}
}

// nftables prints the tables of a namespace.
func nftables(t *testing.T, ns string) string {
	t.Helper()
	out, err := exec.Command("ip", "netns", "exec", ns, "nft", "list", "ruleset").CombinedOutput()
	if err != nil {
		t.Fatalf("nft: %v\n%s", err, out)
	}
	return string(out)
}

func TestMasquerade(t *testing.T) {
	h, ns := open(t)
	if out, err := ns.Exec("nft", "add", "table", "ip", "others"); err != nil {
		t.Fatal(out, err)
	}
	before := nftables(t, ns.Name)
	subnets := prefixes("172.19.0.0/16", "fd63:6f6e:7469:76::ac13:0/112")
	var first string
	for range 2 {
		for _, p := range subnets {
			if err := h.Masquerade(p, true); err != nil {
				t.Fatal(err)
			}
		}
		now := nftables(t, ns.Name)
		if first == "" {
			first = now
		}
		if now != first || strings.Count(now, "masquerade") != 2 || strings.Count(now, "drop") != 2 {
			t.Errorf("want one rule each and family, twice the same, got\n%s", now)
		}
	}
	if !strings.Contains(first, "ip6 saddr fd63:6f6e:7469:76::ac13:0/112 oifgroup != 787571 masquerade") ||
		!strings.Contains(first, "ip saddr 172.19.0.0/16 oifgroup != 787571 masquerade") || !strings.Contains(first, "iifgroup 787571 oifgroup 787571 drop") {
		t.Errorf("rules: got\n%s", first)
	}
	for range 2 {
		for _, p := range subnets {
			if err := h.Masquerade(p, false); err != nil {
				t.Fatal(err)
			}
		}
		if now := nftables(t, ns.Name); now != before {
			t.Errorf("taken back: want\n%s\ngot\n%s", before, now)
		}
	}
}

// What comes from the private subnet reaches the world under the host's address: the world has no way back to another.
func TestMasquerade_Packets(t *testing.T) {
	h, host := open(t)
	world := linktest.New(t)
	host.IP("link", "add", "out", "type", "veth", "peer", "name", "in", "netns", world.Name)
	host.IP("addr", "add", "192.0.2.1/24", "dev", "out")
	host.IP("link", "set", "out", "up")
	world.IP("addr", "add", "192.0.2.2/24", "dev", "in")
	world.IP("link", "set", "in", "up")
	host.IP("link", "set", "lo", "up")
	host.IP("addr", "add", "172.19.0.7/32", "dev", "lo") // stands for a container
	ping := func() error {
		_, err := host.Exec("ping", "-n", "-c", "1", "-W", "1", "-I", "172.19.0.7", "192.0.2.2")
		return err
	}
	if ping() == nil {
		t.Fatal("untranslated: want no answer, got one")
	}
	if err := h.Masquerade(netip.MustParsePrefix("172.19.0.0/16"), true); err != nil {
		t.Fatal(err)
	}
	if err := ping(); err != nil {
		t.Errorf("translated: want an answer, got %v", err)
	}
}

func TestHostPortDrift(t *testing.T) {
	h, ns := open(t)
	ns.IP("link", "add", "hp0", "type", "veth", "peer", "name", "hp1")
	ns.IP("link", "set", "hp1", "up")
	p := link.HostPort{Name: "hp0", MTU: 1450, Addrs: prefixes("10.1.0.1/24", "2001:db8::1/64"), Routes: prefixes("10.2.0.0/24")}
	if err := h.SetHostPort(p); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ do, was, want string }{
		{"", "", ""},
		{"addr del 10.1.0.1/24 dev hp0", "", "address 10.1.0.1/24, route 10.2.0.0/24"}, // the kernel takes routes along with the last address
		{"addr add 10.9.0.1/16 dev hp0", "address 10.9.0.1/16", ""},
		{"link set hp0 group 0", "group 0", "group 787571"},
		{"link set hp0 mtu 1400", "MTU 1400", "MTU 1450"},
		{"route del 10.2.0.0/24", "", "route 10.2.0.0/24"},
		{"route add 10.8.0.0/24 dev hp0", "", ""},
		{"link set hp0 down", "down", "up, address 2001:db8::1/64, route 10.2.0.0/24"},
		{"link del hp0", "", "interface hp0"},
	} {
		if row.do != "" {
			ns.IP(strings.Fields(row.do)...)
		}
		was, want, err := h.HostPortDrift(p)
		if err != nil || strings.Join(was, ", ") != row.was || strings.Join(want, ", ") != row.want {
			t.Errorf("after %q: want was %q, want %q, got %q, %q, %v", row.do, row.was, row.want, was, want, err)
		}
		if strings.HasPrefix(row.do, "link del") {
			continue
		}
		if err := h.SetHostPort(p); err != nil {
			t.Fatal(err)
		}
		if was, want, err := h.HostPortDrift(p); err != nil || len(was)+len(want) > 0 {
			t.Errorf("after %q and a repair: want nothing, got %q, %q, %v", row.do, was, want, err)
		}
	}
}
