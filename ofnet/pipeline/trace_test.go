// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// lab is a real switch with the ports and flows of testdata/state.txt.
type lab struct {
	ovs     *ovstest.OVS
	control *ovstest.Control // for many commands; nil until the first
	state   *ofnet.State
	ports   map[string]string // datapath port number to name
}

// newLab starts a switch with the State of testdata/state.txt and the lines of more, gives it ports and an underlay,
// and programs it.
func newLab(t *testing.T, more string) *lab {
	t.Helper()
	text, err := os.ReadFile("testdata/state.txt")
	if err != nil {
		t.Fatal(err)
	}
	return newLabOf(t, ofnettest.Parse(t, string(text)+more))
}

// newLabOf is newLab with another State.
func newLabOf(t *testing.T, s *ofnet.State) *lab {
	t.Helper()
	l := &lab{ovs: ovstest.StartInOrder(t), state: s, ports: map[string]string{}}
	s.Missing |= l.ovs.Lacks()
	l.inside(t, func() error { // Linux says nothing of its own on the ports
		return os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0)
	})
	// The longest time until the datapath knows of a change, and for which it keeps a flow that meets no packet, in ms: tests wait for
	// the one, and make many of the other.
	l.ovs.Vsctl("set", "Open_vSwitch", ".", "other_config:max-revalidator=100", "other_config:max-idle=500")
	l.ovs.Bridge("br0")
	add := []string{"add-br", "phy", "--", "set", "bridge", "phy", "datapath_type=" + l.ovs.Datapath(),
		"--", "add-port", "phy", "nic", "--", "set", "interface", "nic", "type=internal"}
	port := func(name string, number uint32, options ...string) {
		add = append(add, "--", "add-port", "br0", name, "--", "set", "interface", name, fmt.Sprintf("ofport_request=%d", number))
		add = append(add, options...)
	}
	up := []string{"phy", "nic", "uplink", "contivh0"}
	for _, e := range s.Endpoints.All() {
		if e.Port != 0 {
			port("p"+strconv.Itoa(int(e.Port)), e.Port, "type=internal")
			up = append(up, "p"+strconv.Itoa(int(e.Port)))
		}
	}
	port("vx", s.Local.Tunnel, "type=vxlan", "options:remote_ip=flow", "options:key=flow")
	port("uplink", s.Local.Uplink, "type=internal")
	port("contivh0", s.Local.Host, "type=internal")
	if s.Router != nil {
		port("inb01", s.Router.Port, "type=internal")
		up = append(up, "inb01")
	}
	l.ovs.Vsctl(add...)
	l.ovs.IP("addr", "add", "192.168.251.1/24", "dev", "phy")
	for _, name := range up {
		l.ovs.IP("link", "set", name, "up")
	}
	for end, mac := range map[string]string{"192.168.251.2": "02:00:00:00:00:02", "192.168.251.3": "02:00:00:00:00:03"} {
		if l.ovs.Kernel() {
			l.ovs.IP("neigh", "replace", end, "lladdr", mac, "dev", "phy")
		} else {
			l.ovs.Appctl("tnl/arp/set", "phy", end, mac)
		}
	}
	if !l.ovs.Kernel() {
		l.ovs.Appctl("ovs/route/add", "192.168.251.0/24", "phy")
	}
	for _, m := range regexp.MustCompile(`(?m)^\s+(\S+) \d+/(\d+):`).FindAllStringSubmatch(l.ovs.Appctl("dpif/show"), -1) {
		l.ports[m[2]] = m[1]
	}
	program(t, l.ovs, s)
	return l
}

// inside does something in the switch's network namespace.
func (l *lab) inside(t *testing.T, do func() error) {
	t.Helper()
	ns, err := link.OpenNamespace("/run/netns/" + l.ovs.NetNS)
	if err != nil {
		t.Fatal(err)
	}
	defer ns.Close()
	if err := ns.Do(do); err != nil {
		t.Fatal(err)
	}
}

func program(t *testing.T, o *ovstest.OVS, s *ofnet.State) {
	t.Helper()
	change(t, o, flow.Diff(pipeline.Default().CompileAll(s), flow.Set{}))
}

// change makes the switch take d, and returns when packets meet it.
func change(t *testing.T, o *ovstest.OVS, d flow.Delta) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	sw, err := bridge.NewOpenFlow(o.Mgmt("br0"), openflow.Options{}).Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sw.Close() }()
	o.Appctl("revalidator/wait") // what has passed is counted by the flows that it has met
	if err := sw.Apply(ctx, &d); err != nil {
		t.Fatal(err)
	}
	// A barrier does not wait for the flows that the datapath has cached.
	o.Appctl("revalidator/wait")
}

// do is a command of ovs-appctl.
func (l *lab) do(command string, args ...string) string {
	if l.control == nil {
		l.control = l.ovs.Control()
	}
	return l.control.Do(command, args...)
}

// trace describes the fate of a packet in the switch, in a few words: "drop", or each way out with what was done to the packet on it,
// sorted.
func (l *lab) trace(t *testing.T, packet string) string {
	t.Helper()
	out := l.do("ofproto/trace", "br0", packet, "--ct-next", "trk,new")
	all := regexp.MustCompile(`(?m)^Datapath actions: (.*)$`).FindAllStringSubmatch(out, -1)
	if all == nil {
		t.Fatalf("trace of %s has no verdict:\n%s", packet, out)
	}
	return l.verdict(all[len(all)-1][1])
}

var (
	tunnelled = regexp.MustCompile(`tnl_push\(.*dst=(192\.168\.251\.\d+),.*vni=(0x[0-9a-f]+)`)
	tunnelSet = regexp.MustCompile(`set\(tunnel\(tun_id=(0x[0-9a-f]+),.*dst=(192\.168\.251\.\d+),`)
	committed = regexp.MustCompile(`ct\(commit,zone=(\d+)`)
	tagged    = regexp.MustCompile(`push_vlan\(vid=(\d+)`)
	written   = regexp.MustCompile(`(src|dst|op|sip|tip|sha|tha|sll|tll|type|ttl)=([0-9a-f:.]+)`)
)

// verdict shortens datapath actions.
func (l *lab) verdict(actions string) string {
	if actions == "drop" {
		return "drop"
	}
	var ways []string
	tag, sets, end := "", "", ""
	for _, a := range splitActions(actions) {
		switch {
		case tunnelled.MatchString(a):
			m := tunnelled.FindStringSubmatch(a)
			vni, _ := strconv.ParseUint(m[2], 0, 32)
			ways = append(ways, fmt.Sprintf("%stunnel %s vni %d", sets, m[1], vni))
		case tunnelSet.MatchString(a): // the kernel's datapath sends it by the port of tunnels
			m := tunnelSet.FindStringSubmatch(a)
			vni, _ := strconv.ParseUint(m[1], 0, 32)
			end = fmt.Sprintf("tunnel %s vni %d", m[2], vni)
		case l.ports[a] == "vx" && end != "":
			ways = append(ways, sets+end)
		case tagged.MatchString(a):
			tag = "vlan " + tagged.FindStringSubmatch(a)[1] + " "
		case a == "pop_vlan":
			tag = ""
		case strings.HasPrefix(a, "set("):
			for _, m := range written.FindAllStringSubmatch(a, -1) {
				sets += m[1] + "=" + m[2] + " "
			}
		case committed.MatchString(a):
			ways = append(ways, "commit zone "+committed.FindStringSubmatch(a)[1])
		case strings.Contains(a, "dont_send=1"): // the exception of dec_ttl: no one listens
		case l.ports[a] == "nic": // the underlay's part of the tunnel
		case l.ports[a] != "":
			ways = append(ways, sets+tag+l.ports[a])
		default:
			ways = append(ways, a)
		}
	}
	if ways == nil {
		return "drop"
	}
	sort.Strings(ways)
	return strings.Join(ways, "; ")
}

func splitActions(s string) (out []string) {
	depth, start := 0, 0
	for i, c := range s {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

const (
	router    = "00:00:11:11:11:11"
	broadcast = "ff:ff:ff:ff:ff:ff"
	a1        = "in_port=1,dl_src=02:02:65:01:00:01,"
	fromH2    = "in_port=1000,tun_src=192.168.251.2,tun_dst=192.168.251.1,"
)

func TestTrace(t *testing.T) {
	l := newLab(t, "")
	for _, row := range []struct{ name, in, want string }{
		// Permitted sources.
		{"unknown port", "in_port=77,tcp,dl_src=02:02:65:01:00:01,nw_src=10.1.0.1,nw_dst=10.1.0.2,dl_dst=02:02:65:01:00:02", "drop"},
		{"spoofed MAC", "in_port=1,tcp,dl_src=02:02:65:01:00:02,dl_dst=02:02:65:02:00:03,nw_src=10.1.0.1,nw_dst=10.1.0.3", "drop"},
		{"spoofed IPv4", a1 + "tcp,dl_dst=02:02:65:01:00:02,nw_src=10.1.0.9,nw_dst=10.1.0.2", "drop"},
		{"spoofed IPv6", a1 + "ipv6,dl_dst=02:02:65:01:00:02,ipv6_src=fd01::9,ipv6_dst=fd01::2", "drop"},
		{"spoofed ARP sender", a1 + "arp,dl_dst=" + broadcast + ",arp_op=1,arp_sha=02:02:65:01:00:01,arp_spa=10.1.0.9,arp_tpa=10.1.0.2", "drop"},
		{"spoofed ARP link address", a1 + "arp,dl_dst=" + broadcast + ",arp_op=2,arp_sha=02:02:65:01:00:09,arp_spa=10.1.0.1,arp_tpa=10.1.0.2", "drop"},
		{"spoofed advertisement", a1 + "icmp6,icmpv6_type=136,dl_dst=33:33:00:00:00:01,ipv6_src=fd01::1,ipv6_dst=ff02::1,nd_target=fd01::2,nd_tll=02:02:65:01:00:01", "drop"},
		{"router advertisement", a1 + "icmp6,icmpv6_type=134,dl_dst=33:33:00:00:00:01,ipv6_src=fd01::1,ipv6_dst=ff02::1", "drop"},
		{"multicast source", "in_port=1,tcp,dl_src=03:02:65:01:00:01,dl_dst=02:02:65:01:00:02,nw_src=10.1.0.1,nw_dst=10.1.0.2", "drop"},
		{"neither IP nor ARP", a1 + "dl_dst=02:02:65:01:00:02,dl_type=0x88cc", "drop"},
		{"unknown VNI", fromH2 + "tun_id=4999,tcp,dl_src=02:02:65:02:00:03,dl_dst=02:02:65:01:00:01,nw_src=10.1.0.3,nw_dst=10.1.0.1", "drop"},
		{"unknown tunnel peer", "in_port=1000,tun_src=192.168.251.99,tun_dst=192.168.251.1,tun_id=5001,tcp,dl_src=02:02:65:02:00:03,dl_dst=02:02:65:01:00:01,nw_src=10.1.0.3,nw_dst=10.1.0.1", "drop"},
		{"unknown VLAN", "in_port=1001,dl_vlan=99,tcp,dl_src=02:02:67:02:00:02,dl_dst=02:02:67:01:00:01,nw_src=10.2.0.2,nw_dst=10.2.0.1", "drop"},
		{"untagged from the uplink", "in_port=1001,tcp,dl_src=02:02:67:02:00:02,dl_dst=02:02:67:01:00:01,nw_src=10.2.0.2,nw_dst=10.2.0.1", "drop"},
		{"own address from the tunnel", fromH2 + "tun_id=5001,tcp,dl_src=02:02:65:02:00:03,dl_dst=02:02:65:01:00:01,nw_src=10.1.0.2,nw_dst=10.1.0.1", "drop"},

		// Bridging.
		{"local", a1 + "tcp,dl_dst=02:02:65:01:00:02,nw_src=10.1.0.1,nw_dst=10.1.0.2", "p2"},
		{"local, IPv6", a1 + "ipv6,dl_dst=02:02:65:01:00:02,ipv6_src=fd01::1,ipv6_dst=fd01::2", "p2"},
		{"VXLAN out", a1 + "tcp,dl_dst=02:02:65:02:00:03,nw_src=10.1.0.1,nw_dst=10.1.0.3", "tunnel 192.168.251.2 vni 5001"},
		{"VXLAN in", fromH2 + "tun_id=5001,tcp,dl_src=02:02:65:02:00:03,dl_dst=02:02:65:01:00:01,nw_src=10.1.0.3,nw_dst=10.1.0.1", "p1"},
		{"VLAN out", "in_port=4,dl_src=02:02:67:01:00:01,tcp,dl_dst=02:02:67:02:00:02,nw_src=10.2.0.1,nw_dst=10.2.0.2", "vlan 11 uplink"},
		{"VLAN out, unknown MAC", "in_port=4,dl_src=02:02:67:01:00:01,tcp,dl_dst=0e:00:00:00:00:01,nw_src=10.2.0.1,nw_dst=8.8.8.8", "vlan 11 uplink"},
		{"VLAN in", "in_port=1001,dl_vlan=11,tcp,dl_src=02:02:67:02:00:02,dl_dst=02:02:67:01:00:01,nw_src=10.2.0.2,nw_dst=10.2.0.1", "p4"},
		{"VXLAN, unknown MAC", a1 + "tcp,dl_dst=0e:00:00:00:00:01,nw_src=10.1.0.1,nw_dst=10.1.0.77", "drop"},
		{"split horizon, tunnel", fromH2 + "tun_id=5001,tcp,dl_src=02:02:65:02:00:04,dl_dst=02:02:65:02:00:03,nw_src=10.1.0.4,nw_dst=10.1.0.3", "drop"},
		{"split horizon, uplink", "in_port=1001,dl_vlan=11,tcp,dl_src=02:02:67:02:00:05,dl_dst=02:02:67:02:00:02,nw_src=10.2.0.5,nw_dst=10.2.0.2", "drop"},

		// Equal addresses of two tenants.
		{"other tenant, local", "in_port=9,dl_src=02:02:6b:01:00:01,tcp,dl_dst=02:02:65:01:00:02,nw_src=10.1.0.1,nw_dst=10.1.0.2", "drop"},
		{"other tenant, by the router", "in_port=9,dl_src=02:02:6b:01:00:01,tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.3.0.1,nw_ttl=64",
			"commit zone 2; ttl=63 src=00:00:11:11:11:11 dst=02:02:ac:13:ff:fe src=172.19.0.9 contivh0"},
		{"own tenant, tracked", "in_port=9,dl_src=02:02:6b:01:00:01,tcp,dl_dst=02:02:6b:02:00:02,nw_src=10.1.0.1,nw_dst=10.1.0.2", "commit zone 2; tunnel 192.168.251.2 vni 5013"},

		// Broadcast.
		{"broadcast, VXLAN", "in_port=3,dl_src=02:02:66:01:00:01,udp,dl_dst=" + broadcast + ",nw_src=10.6.0.1,nw_dst=10.6.0.255",
			"tunnel 192.168.251.2 vni 5002; tunnel 192.168.251.3 vni 5002"},
		{"broadcast, VXLAN, in", fromH2 + "tun_id=5001,udp,dl_src=02:02:65:02:00:03,dl_dst=" + broadcast + ",nw_src=10.1.0.3,nw_dst=10.1.0.255", "p1; p2"},
		{"broadcast, VLAN", "in_port=5,dl_src=02:02:68:01:00:01,udp,dl_dst=" + broadcast + ",nw_src=10.7.0.1,nw_dst=10.7.0.255", "p6; vlan 12 uplink"},
		{"broadcast, VLAN, in", "in_port=1001,dl_vlan=12,udp,dl_src=02:02:68:02:00:01,dl_dst=" + broadcast + ",nw_src=10.7.0.9,nw_dst=10.7.0.255", "p5; p6"},

		// ARP and neighbor discovery.
		{"ARP, proxy", a1 + "arp,dl_dst=" + broadcast + ",arp_op=1,arp_sha=02:02:65:01:00:01,arp_spa=10.1.0.1,arp_tpa=10.1.0.3",
			"src=02:02:65:02:00:03 dst=02:02:65:01:00:01 sip=10.1.0.3 tip=10.1.0.1 op=2 sha=02:02:65:02:00:03 tha=02:02:65:01:00:01 p1"},
		{"ARP, gateway", a1 + "arp,dl_dst=" + broadcast + ",arp_op=1,arp_sha=02:02:65:01:00:01,arp_spa=10.1.0.1,arp_tpa=10.1.0.254",
			"src=00:00:11:11:11:11 dst=02:02:65:01:00:01 sip=10.1.0.254 tip=10.1.0.1 op=2 sha=00:00:11:11:11:11 tha=02:02:65:01:00:01 p1"},
		{"ARP, unknown, VXLAN", a1 + "arp,dl_dst=" + broadcast + ",arp_op=1,arp_sha=02:02:65:01:00:01,arp_spa=10.1.0.1,arp_tpa=10.1.0.77", "drop"},
		{"ARP, unknown, VLAN", "in_port=4,arp,dl_src=02:02:67:01:00:01,dl_dst=" + broadcast + ",arp_op=1,arp_sha=02:02:67:01:00:01,arp_spa=10.2.0.1,arp_tpa=10.2.0.254", "vlan 11 uplink"},
		{"ARP, announcement, VXLAN", a1 + "arp,dl_dst=" + broadcast + ",arp_op=1,arp_sha=02:02:65:01:00:01,arp_spa=10.1.0.1,arp_tpa=10.1.0.1", "drop"},
		{"ARP, announcement, VLAN", "in_port=4,arp,dl_src=02:02:67:01:00:01,dl_dst=" + broadcast + ",arp_op=1,arp_sha=02:02:67:01:00:01,arp_spa=10.2.0.1,arp_tpa=10.2.0.1", "vlan 11 uplink"},
		{"ARP, flood, VXLAN", "in_port=3,arp,dl_src=02:02:66:01:00:01,dl_dst=" + broadcast + ",arp_op=1,arp_sha=02:02:66:01:00:01,arp_spa=10.6.0.1,arp_tpa=10.6.0.3",
			"tunnel 192.168.251.2 vni 5002; tunnel 192.168.251.3 vni 5002"},
		{"ARP, flood, in", fromH2 + "tun_id=5002,arp,dl_src=02:02:66:02:00:02,dl_dst=" + broadcast + ",arp_op=1,arp_sha=02:02:66:02:00:02,arp_spa=10.6.0.2,arp_tpa=10.6.0.1", "p3"},
		{"ARP reply, unicast", "in_port=3,arp,dl_src=02:02:66:01:00:01,dl_dst=02:02:66:02:00:02,arp_op=2,arp_sha=02:02:66:01:00:01,arp_spa=10.6.0.1,arp_tpa=10.6.0.2", "tunnel 192.168.251.2 vni 5002"},
		// Open vSwitch leaves the tag alone when it would be popped and pushed again.
		{"ARP from outside, ours", "in_port=1001,dl_vlan=11,arp,dl_src=0e:00:00:00:00:01,dl_dst=" + broadcast + ",arp_op=1,arp_sha=0e:00:00:00:00:01,arp_spa=10.2.0.254,arp_tpa=10.2.0.1",
			"src=02:02:67:01:00:01 dst=0e:00:00:00:00:01 sip=10.2.0.1 tip=10.2.0.254 op=2 sha=02:02:67:01:00:01 tha=0e:00:00:00:00:01 uplink"},
		{"ARP from outside, another host's", "in_port=1001,dl_vlan=11,arp,dl_src=0e:00:00:00:00:01,dl_dst=" + broadcast + ",arp_op=1,arp_sha=0e:00:00:00:00:01,arp_spa=10.2.0.254,arp_tpa=10.2.0.2", "drop"},
		{"ARP from outside, routed", "in_port=1001,dl_vlan=15,arp,dl_src=0e:00:00:00:00:01,dl_dst=" + broadcast + ",arp_op=1,arp_sha=0e:00:00:00:00:01,arp_spa=10.5.0.254,arp_tpa=10.5.0.1",
			"src=02:aa:00:00:00:01 dst=0e:00:00:00:00:01 sip=10.5.0.1 tip=10.5.0.254 op=2 sha=02:aa:00:00:00:01 tha=0e:00:00:00:00:01 uplink"},

		// Routing, and what the switch answers itself.
		{"routed, local", a1 + "tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.3.0.1,nw_ttl=64", "src=00:00:11:11:11:11 dst=02:02:69:01:00:01 ttl=63 p7"},
		{"routed, VXLAN", a1 + "tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.3.0.2,nw_ttl=64", "src=00:00:11:11:11:11 dst=02:02:69:02:00:02 ttl=63 tunnel 192.168.251.2 vni 5003"},
		{"routed, VLAN", a1 + "tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.5.0.2,nw_ttl=64", "src=02:aa:00:00:00:01 dst=02:aa:00:00:00:02 ttl=63 vlan 15 uplink"},
		{"routed, VLAN, in", "in_port=1001,dl_vlan=15,tcp,dl_src=02:aa:00:00:00:02,dl_dst=02:aa:00:00:00:01,nw_src=10.5.0.2,nw_dst=10.5.0.1,nw_ttl=63", "src=00:00:11:11:11:11 dst=02:02:6a:01:00:01 ttl=62 p8"},
		{"routed, VXLAN to VLAN bridge", a1 + "tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.2.0.2,nw_ttl=64", "src=02:aa:00:00:00:01 dst=02:02:67:02:00:02 ttl=63 vlan 11 uplink"},
		{"routed, unknown in own subnet", a1 + "tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.3.0.77,nw_ttl=64", "drop"},
		{"routed, TTL ends", a1 + "tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.3.0.1,nw_ttl=1", "drop"},
		{"to the gateway, no ping", a1 + "tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.1.0.254,nw_ttl=64", "drop"},
		{"ping to the gateway", a1 + "icmp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=10.1.0.254,nw_ttl=9,icmp_type=8",
			"src=00:00:11:11:11:11 dst=02:02:65:01:00:01 src=10.1.0.254 dst=10.1.0.1 ttl=64 type=0 p1"},
		{"to the world", a1 + "tcp,dl_dst=" + router + ",nw_src=10.1.0.1,nw_dst=8.8.8.8,nw_ttl=64", "src=00:00:11:11:11:11 dst=02:02:ac:13:ff:fe src=172.19.0.1 ttl=63 contivh0"},
		{"from the host", "in_port=1002,tcp,dl_src=02:02:ac:13:ff:fe,dl_dst=" + router + ",nw_src=172.19.255.254,nw_dst=172.19.0.1,nw_ttl=64",
			"src=00:00:11:11:11:11 dst=02:02:65:01:00:01 dst=10.1.0.1 ttl=63 p1"},
		{"to the world, IPv6", "in_port=1,dl_src=02:02:65:01:00:01,tcp6,dl_dst=" + router + ",ipv6_src=fd01::1,ipv6_dst=2001:db8::1,nw_ttl=64",
			"src=00:00:11:11:11:11 dst=02:02:ac:13:ff:fe src=fd63:6f6e:7469:76::ac13:1 contivh0"},
		{"from the host, IPv6", "in_port=1002,tcp6,dl_src=02:02:ac:13:ff:fe,dl_dst=" + router + ",ipv6_src=2001:db8::1,ipv6_dst=fd63:6f6e:7469:76::ac13:1,nw_ttl=64",
			"src=00:00:11:11:11:11 dst=02:02:65:01:00:01 dst=fd01::1 p1"},
		{"own subnet, no endpoint, IPv6", "in_port=1,dl_src=02:02:65:01:00:01,tcp6,dl_dst=" + router + ",ipv6_src=fd01::1,ipv6_dst=fd01::99,nw_ttl=64", "drop"},
		{"to the host's link, IPv6", "in_port=1,dl_src=02:02:65:01:00:01,tcp6,dl_dst=" + router + ",ipv6_src=fd01::1,ipv6_dst=fe80::2,nw_ttl=64", "drop"},
		{"open to the host's private address, IPv6", "in_port=1,dl_src=02:02:65:01:00:01,tcp6,dl_dst=" + router + ",ipv6_src=fd01::1,ipv6_dst=fd63:6f6e:7469:76::ac13:fffe,nw_ttl=64,tcp_flags=2", "drop"},
		{"another's private address, IPv6", "in_port=1,dl_src=02:02:65:01:00:01,tcp6,dl_dst=" + router + ",ipv6_src=fd01::1,ipv6_dst=fd63:6f6e:7469:76::ac13:2,nw_ttl=64", "drop"},
		{"from the host, no endpoint", "in_port=1002,tcp,dl_src=02:02:ac:13:ff:fe,dl_dst=" + router + ",nw_src=172.19.255.254,nw_dst=172.19.0.99", "drop"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := l.trace(t, row.in); got != row.want {
				t.Errorf("%s\nwant %s\ngot  %s", row.in, row.want, got)
			}
		})
	}
}
