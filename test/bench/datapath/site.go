// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/test/bench/harness"
)

// brName is the bridge that is measured.
const brName = "br0"

// OpenFlow numbers of the tunnel, and of the first container of each switch.
const (
	portTunnel    = 1000
	portContainer = 1
)

// underlayMTU is that of the wire between two hosts; containers have less by what a tunnel adds, also on one host.
const underlayMTU = 1500

// host is one switch with its containers.
type host struct {
	*ovstest.OVS
	control *ovstest.Control
	links   *link.Host
	label   string
	number  int
}

func newHost(tb *harness.Stand, number int) *host {
	h := &host{OVS: ovstest.Start(tb), label: fmt.Sprintf("h%d", number), number: number}
	h.control = h.Control()
	h.Bridge(brName)
	if h.Kernel() {
		h.Vsctl("set", "open_vswitch", ".", "other_config:max-idle="+idle)
	}
	links, err := link.Open(netnsPath(h.NetNS))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(links.Close)
	h.links = links
	return h
}

func netnsPath(name string) string { return "/run/netns/" + name }

// vtep is the host's tunnel address.
func (h *host) vtep() netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(h.number)}) }

// connect gives two hosts a wire.
func connect(a, b *host, wire string) {
	a.IP("link", "add", wire, "type", "veth", "peer", "name", wire, "netns", b.NetNS)
	for _, h := range []*host{a, b} {
		h.IP("link", "set", wire, "mtu", fmt.Sprint(underlayMTU), "up")
	}
}

// tunnel gives two hosts a wire, tunnel addresses and tunnel ports. Beside a userspace datapath the addresses are on userspace
// bridges, so that ovs-vswitchd finds route and neighbour itself.
func tunnel(tb *harness.Stand, a, b *host) {
	connect(a, b, "wire")
	for _, h := range []*host{a, b} {
		device := "wire"
		if !h.Kernel() {
			device = "br-phy"
			h.Vsctl("add-br", device, "--", "set", "bridge", device, "datapath_type=netdev", "--", "add-port", device, "wire")
		}
		h.IP("addr", "add", h.vtep().String()+"/24", "dev", device)
		h.IP("link", "set", device, "up")
		h.Vsctl("add-port", brName, "vx", "--", "set", "interface", "vx", "type=vxlan", "options:remote_ip=flow", "options:key=flow",
			"options:tos=inherit", fmt.Sprintf("ofport_request=%d", portTunnel))
	}
	if !a.Kernel() {
		a.resolve(tb, b.vtep())
		b.resolve(tb, a.vtep())
	}
}

// resolve has the switch learn the link address of a tunnel's other end, as an agent does: while it asks, it would drop packets.
func (h *host) resolve(tb *harness.Stand, vtep netip.Addr) {
	for end := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		if err := h.links.Greet(vtep); err == nil && strings.Contains(h.control.Do("tnl/neigh/show"), vtep.String()+" ") {
			return
		}
		if time.Now().After(end) {
			tb.Fatalf("%s does not find the tunnel's end %s", h.label, vtep)
		}
	}
}

// container is a namespace at a port of a host's switch.
type container struct {
	host  *host
	netns string
	at    ofnet.Endpoint
}

// newContainer makes number n of all containers, at an OpenFlow port of its host's switch.
func newContainer(tb *harness.Stand, h *host, n int, port uint32) *container {
	c := newNamespace(tb, h, n)
	c.at.Port = port
	h.Vsctl("add-port", brName, c.device(), "--", "set", "interface", c.device(), fmt.Sprintf("ofport_request=%d", port))
	return c
}

// device is the name of the host's end.
func (c *container) device() string { return "v" + c.at.ID }

// newNamespace makes number n of all containers, whose host's end is at no switch.
func newNamespace(tb *harness.Stand, h *host, n int) *container {
	mac := ofnet.MAC{2, 2, 10, 66, 0, byte(n)}
	c := &container{host: h, netns: fmt.Sprintf("%s-c%d", h.NetNS, n), at: ofnet.Endpoint{ID: fmt.Sprintf("c%d", n), Segment: "t:n", Group: "t:g", Host: h.label,
		MAC: mac, IP4: netip.AddrFrom4([4]byte{10, 66, 0, byte(n)})}}
	if out, err := exec.Command("ip", "netns", "add", c.netns).CombinedOutput(); err != nil {
		tb.Fatalf("ip netns add %s: %v: %s", c.netns, err, out)
	}
	tb.Cleanup(func() { _ = exec.Command("ip", "netns", "del", c.netns).Run() })
	name, mtu := c.device(), underlayMTU-link.VXLANOverhead(h.vtep())
	err := h.links.Create(link.Pair{Host: name, Netns: netnsPath(c.netns), IfName: "eth0", MTU: underlayMTU, ContainerMTU: mtu, MAC: net.HardwareAddr(mac[:]), SoftSum: true})
	if err == nil {
		err = h.links.Configure(link.Config{Netns: netnsPath(c.netns), IfName: "eth0", Host: name, MAC: net.HardwareAddr(mac[:]), MTU: mtu,
			Addrs: []netip.Prefix{netip.PrefixFrom(c.at.IP4, 24)}, SoftSum: true})
	}
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// meet sets the permanent link addresses of two containers for each other: address resolution is not measured.
func meet(tb *harness.Stand, a, b *container) {
	for _, pair := range [][2]*container{{a, b}, {b, a}} {
		to := pair[1].at
		out, err := exec.Command("ip", "-n", pair[0].netns, "neigh", "replace", to.IP4.String(), "lladdr", net.HardwareAddr(to.MAC[:]).String(), "dev", "eth0", "nud", "permanent").CombinedOutput()
		if err != nil {
			tb.Fatalf("ip neigh: %v: %s", err, out)
		}
	}
}

// program makes the switch hold only these flows and groups, and deletes all tracked connections.
func (h *host) program(tb *harness.Stand, set flow.Set) {
	h.Ofctl("del-flows", brName)
	h.Ofctl("del-groups", brName)
	h.Ofctl("del-meters", brName)
	for _, m := range set.Meters {
		h.Ofctl("add-meter", brName, m.String())
	}
	for _, part := range []struct {
		name, command string
		text          string
	}{{"groups", "add-groups", flow.Set{Groups: set.Groups}.String()}, {"flows", "add-flows", flow.Set{Flows: set.Flows}.String()}} {
		path := filepath.Join(h.Dir, part.name)
		if err := os.WriteFile(path, []byte(part.text), 0o600); err != nil {
			tb.Fatal(err)
		}
		h.Ofctl(part.command, brName, path)
	}
	h.control.Do("dpctl/flush-conntrack")
	h.forget(tb)
}

// idle is the time after which the kernel's datapath loses a flow without packets, in milliseconds: the least that
// ovs-vswitchd.conf.db(5) allows.
const idle = "500"

// forget makes the next packet a first one: the datapath has no flow of IPv4 any more. The kernel's loses its flows by their age, since
// revalidator/purge races with the revalidator there, and Open vSwitch 3.1 then aborts.
func (h *host) forget(tb *harness.Stand) {
	if !h.Kernel() {
		h.control.Do("revalidator/purge")
		return
	}
	for end := time.Now().Add(timeout); strings.Contains(h.control.Do("dpctl/dump-flows"), "eth_type(0x0800)"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("%s keeps flows without packets", h.label)
		}
	}
}
