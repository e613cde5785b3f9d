// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// soon is the time within which changes by others are repaired, long before the periodic checks without a notification.
const soon = 4 * time.Second

// Changes of the host's flows, ports, interfaces and rules by others are repaired immediately, and containers reach each other again.
func TestOwnedThingsAreKept(t *testing.T) {
	s := newSite(t)
	s.start()
	a, _ := s.add("a", "1.0.0", "")
	b, _ := s.add("b", "1.0.0", "")
	s.ping(a, b.ip4)
	end := strings.Fields(s.ovs.Vsctl("--bare", "--columns=name", "find", "Interface", "external_ids:contiv-container=a"))[0]
	holds := func(want string, args ...string) func() string {
		return func() string {
			out, err := s.inHost(args...)
			if err != nil || !strings.Contains(out, want) {
				return strings.Join(args, " ") + ": want " + want + ", got " + out
			}
			return ""
		}
	}
	met := func() string {
		if out, err := a.ns.Exec("ping", "-c1", "-W1", b.ip4); err != nil {
			return out
		}
		return ""
	}
	for _, row := range []struct {
		name   string
		damage []string
		want   []func() string
	}{
		{"a firewall's reload", []string{"nft flush ruleset"}, []func() string{
			holds("chain closed", "nft", "list", "table", "inet", "contiv-ends"), holds("chain input", "nft", "list", "table", "inet", "contiv-guard"),
			holds("masquerade", "nft", "list", "table", "ip", "contiv")}},
		{"sysctl --system", []string{"sysctl -w net.ipv4.ip_forward=0"}, []func() string{holds("1", "cat", "/proc/sys/net/ipv4/ip_forward")}},
		{"a network manager", []string{"ip link set " + end + " group 0 arp on", "sysctl -w net.ipv6.conf." + end + ".disable_ipv6=0"}, []func() string{
			holds("NOARP", "ip", "link", "show", end), holds("group 787569", "ip", "link", "show", end), holds("1", "cat", "/proc/sys/net/ipv6/conf/"+end+"/disable_ipv6")}},
		{"flows", []string{"ovs-ofctl -OOpenFlow13 del-flows contiv0"}, []func() string{met}},
		{"groups", []string{"ovs-ofctl -OOpenFlow13 del-groups contiv0"}, []func() string{met}},
		{"an emergency reset", []string{"ovs-vsctl --no-wait emer-reset"}, []func() string{holds("secure", "ovs-vsctl", "get", "Bridge", "contiv0", "fail_mode"), met}},
		{"a controller", []string{"ovs-vsctl --no-wait set-controller contiv0 tcp:127.0.0.1:6633"}, []func() string{holds("[]", "ovs-vsctl", "get", "Bridge", "contiv0", "controller"), met}},
		{"the bridge", []string{"ovs-vsctl --no-wait del-br contiv0"}, []func() string{holds("secure", "ovs-vsctl", "get", "Bridge", "contiv0", "fail_mode"), met}},
	} {
		for _, command := range row.damage {
			if out, err := s.inHost(strings.Fields(command)...); err != nil {
				t.Fatalf("%s: %s: %v\n%s", row.name, command, err, out)
			}
		}
		since := time.Now()
		for _, want := range row.want {
			s.eventually(row.name, want)
		}
		if took := time.Since(since); took > soon {
			t.Errorf("%s: want it put right within %v, it took %v", row.name, soon, took)
		}
		s.eventually(row.name+": ready again", func() string { return strings.Join(s.node.Waiting(), "; ") })
	}
}

// inHost runs a program in the namespace of the switch, in the directory of its sockets.
func (s *site) inHost(args ...string) (string, error) {
	cmd := exec.Command("ip", append([]string{"netns", "exec", s.ovs.NetNS}, args...)...)
	cmd.Env = append(os.Environ(), "OVS_RUNDIR="+s.ovs.Dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
