// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
)

// meddling is what other programs and operators do to a host beside its agent.
var meddling = []string{
	"nft flush ruleset",
	"sysctl -w net.ipv4.ip_forward=0",
	"ovs-vsctl --no-wait emer-reset",
	"ovs-vsctl --no-wait set-fail-mode contiv0 standalone",
	"ovs-vsctl --no-wait set-controller contiv0 tcp:127.0.0.1:6633",
	"ovs-vsctl --no-wait del-br contiv0",
	"ovs-ofctl -OOpenFlow13 del-flows contiv0",
	"ovs-ofctl -OOpenFlow13 del-groups contiv0",
	"for i in $(ls /sys/class/net | grep ^vv); do ip link set $i group 0 arp on; done",
}

// meddle does one of these to a host. The checks find what is not put right.
func (c *cluster) meddle(ctx context.Context, r *rand.Rand) fault {
	host, command := hosts[r.IntN(3)], meddling[r.IntN(len(meddling))]
	f := fault{what: fmt.Sprintf("%s on %s", command, host)}
	if out, err := c.runOn(ctx, host, "sh", "-c", command); err != nil { // Open vSwitch may be away at the moment
		f.what += fmt.Sprintf(": %v: %s", err, out)
	}
	return f
}

// advertisement is a router advertisement for 2001:db8:bad::/64, in a frame to all.
const advertisement = "333300000001020000000bad86dd6000000000303afffe800000000000000000000000000badff020000000000000000000000000001" +
	"86009718400007080000000000000000030440c000000e10000007080000000020010db80bad00000000000000000000"

// advertise has a container send a router advertisement by its interface. A host that believes it is wrong.
func (c *cluster) advertise(ctx context.Context, r *rand.Rand) fault {
	have, err := c.lab.Containers()
	if err != nil || len(have) == 0 {
		return fault{what: "no container to advertise a router"}
	}
	x := have[r.IntN(len(have))]
	f := fault{what: fmt.Sprintf("container %s on %s advertises itself as a router", x.Name, x.Host)}
	cmd, err := c.lab.In(ctx, x.Name, c.lab.Self(), "echo", "frame", "eth0", advertisement)
	if err == nil {
		err = cmd.Run()
	}
	if err != nil { // it may have gone meanwhile
		f.what += ": " + err.Error()
		return f
	}
	routes, err := c.runOn(ctx, x.Host, "ip", "-6", "route", "show", "proto", "ra")
	if err == nil && bytes.Contains(routes, []byte("fe80::bad")) {
		f.what, f.wrong = fmt.Sprintf("%s, and the host believes it: %s", f.what, routes), true
	}
	return f
}

// runOn runs a command on a host and returns what it printed.
func (c *cluster) runOn(ctx context.Context, host string, command ...string) ([]byte, error) {
	cmd, err := c.lab.Command(context.WithoutCancel(ctx), host, command...)
	if err != nil {
		return nil, err
	}
	out, err := cmd.CombinedOutput()
	return bytes.TrimSpace(out), err
}
