// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// The switches, kernel bridges without VLAN filtering that forward tagged frames unchanged, and the interface that every host has in each.
var switches = []struct{ bridge, device string }{
	{"mgmt", "mgmt0"},
	{"vtep", "eth0"},
	{"trunk", "eth1"},
}

// nic is an interface that a host has in a switch, and the switch's port for it.
type nic struct{ port, bridge, device string }

// nics are the interfaces of a host: one in each switch, and further ones in the trunk if hosts have several uplinks. With LACP the host's
// own switch has one in the trunk.
func (p *Plan) nics(host string) []nic {
	var out []nic
	for _, s := range switches {
		if p.LACP && s.bridge == "trunk" {
			return append(out, nic{host + "-" + s.bridge, s.bridge, channelTrunk})
		}
		out = append(out, nic{host + "-" + s.bridge, s.bridge, s.device})
	}
	for i, device := range p.uplinks()[1:] {
		out = append(out, nic{fmt.Sprintf("%s-trunk%d", host, i+2), "trunk", device})
	}
	return out
}

// wireSwitches makes the switches and the machine's own interface in the management network.
func (l *Lab) wireSwitches() error {
	ctx := context.Background()
	ns := l.switches()
	steps := [][]string{{"netns", "add", ns}, {"-n", ns, "link", "set", "lo", "up"}}
	for i, s := range switches {
		// Its own link address, since otherwise a bridge has that of some port, which changes when a port is added or removed.
		own := fmt.Sprintf("0e:6c:61:62:00:%02x", i+1)
		// Without multicast snooping: there is no querier here, so a lost report would make an IPv6 address unreachable for minutes (RFC
		// 4541, section 2.1.1).
		steps = append(steps, []string{"-n", ns, "link", "add", s.bridge, "address", own, "type", "bridge", "mcast_snooping", "0"},
			[]string{"-n", ns, "link", "set", s.bridge, "up"})
	}
	return l.ip(ctx, append(steps,
		[]string{"link", "add", l.link(), "type", "veth", "peer", "name", "machine", "netns", ns},
		[]string{"-n", ns, "link", "set", "machine", "master", "mgmt", "up"},
		[]string{"addr", "add", l.machine() + "/24", "dev", l.link()},
		[]string{"link", "set", l.link(), "up"},
	)...)
}

// wireHost connects a host whose process 1 is pid.
func (l *Lab) wireHost(ctx context.Context, host, pid int) error {
	// As on a host that has been up for long, the link-local addresses are in use at once. When duplicate address detection ends, a second
	// later, the routes change, and Open vSwitch's userspace datapath may drop a tunnel packet while it reads them (ovs-router.c).
	if err := l.onHost(ctx, host, "sysctl", "-q", "-e", "-w", "net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0"); err != nil {
		return err
	}
	ns, name := l.switches(), hostName(host)
	var steps [][]string
	for _, s := range l.nics(name) {
		steps = append(steps,
			[]string{"-n", ns, "link", "add", s.port, "type", "veth", "peer", "name", s.device, "netns", strconv.Itoa(pid)},
			[]string{"-n", ns, "link", "set", s.port, "master", s.bridge, "up"})
	}
	if err := l.ip(ctx, steps...); err != nil {
		return err
	}
	steps = [][]string{{"link", "set", "lo", "up"}, {"addr", "add", l.mgmt(host) + "/24", "dev", "mgmt0"}}
	for _, s := range l.nics(name) {
		steps = append(steps, []string{"link", "set", s.device, "up"})
	}
	if l.LACP {
		for i, uplink := range l.uplinks() {
			steps = append(steps, []string{"link", "add", uplink, "up", "type", "veth", "peer", "name", channelMember(i)},
				[]string{"link", "set", channelMember(i), "up"})
		}
	}
	for _, args := range steps {
		if err := l.onHost(ctx, host, append([]string{"ip"}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// ip runs ip(8) for every step.
func (l *Lab) ip(ctx context.Context, steps ...[]string) error {
	for _, args := range steps {
		if err := command(ctx, "ip", args...); err != nil {
			return fmt.Errorf("lab %s: %w", l.Name, err)
		}
	}
	return nil
}

// wireVTEP gives the host its tunnel address. It is on the local port of a bridge that also has the NIC, of the same datapath as the host's
// switch. On the one in user space ovs-vswitchd then finds route and neighbour of a tunnel packet itself (OVS's "userspace tunneling"
// howto).
func (l *Lab) wireVTEP(ctx context.Context, host int) error {
	err := l.onHost(ctx, host, "ovs-vsctl", "--timeout=15", "--may-exist", "add-br", "br-phy",
		"--", "set", "bridge", "br-phy", "datapath_type="+l.datapath(), "fail_mode=standalone",
		"--", "--may-exist", "add-port", "br-phy", "eth0")
	if err != nil {
		return err
	}
	for end := time.Now().Add(stopTimeout); ; time.Sleep(pollPause) { // an existing bridge needs no wait
		err := l.onHost(ctx, host, "ip", "addr", "replace", l.vtep(host)+"/24", "dev", "br-phy")
		if err == nil {
			break
		}
		if ctx.Err() != nil || time.Now().After(end) {
			return err
		}
	}
	return l.onHost(ctx, host, "ip", "link", "set", "br-phy", "up")
}
