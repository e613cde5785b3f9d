// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/setup/preflight/peer"
)

// peerCheck exchanges packets of tunnels with another machine.
func peerCheck(ctx context.Context, _ Machine, s *Subject) (string, []Result) {
	if !s.VXLAN || s.Switch == "" {
		return "", nil
	}
	if s.Peer == nil {
		return "", unknown("UDP "+tunnelPort+" was not tried: no peer was named", "run contiv preflight --listen on another host, and here the command that it prints")
	}
	r, err := s.Peer(ctx)
	if err != nil {
		return "", one(err.Error(), "check that contiv preflight --listen still runs there, and that TCP connections to its address and port pass")
	}
	return Exchanged(&r)
}

// Exchanged describes an exchange of packets with a peer: a summary, or what is wrong.
func Exchanged(r *peer.Report) (fine string, out []Result) {
	who := fmt.Sprintf("%s (%s)", r.Peer, r.Address)
	there := "let UDP " + tunnelPort + " pass on " + r.Peer + ", where sudo contiv preflight names the rule, and in the network between"
	if r.Filter != "" {
		there = "on " + r.Peer + ": " + r.Filter
	}
	out = append(out, passed(&r.Out, r.Size, "to "+who, "this machine", there)...)
	out = append(out, passed(&r.In, r.Size, "from "+who, r.Peer, "let UDP "+tunnelPort+" pass on this machine (check packet-filter), and in the network between")...)
	if r.ClockLead.Abs() > maxSkew {
		out = append(out, one(fmt.Sprintf("this machine's clock differs by %s from that of %s", r.ClockLead.Round(time.Second), who), "set the clock: timedatectl set-ntp true, or chronyc makestep")...)
	}
	return fmt.Sprintf("packets of %d bytes pass to and from %s; the clocks differ by %s", r.Size, who, r.ClockLead.Abs().Round(time.Millisecond)), out
}

// passed describes one direction.
func passed(d *peer.Direction, size int, way, sender, remedy string) []Result {
	switch {
	case d.Error != "" && !d.Passes():
		return one(fmt.Sprintf("%s cannot send packets of tunnels: %s", sender, d.Error), "let UDP "+tunnelPort+" pass out on "+sender+": check packet-filter there names the rule")
	case d.Small == 0:
		return one("no packet "+way+" arrived at UDP "+tunnelPort, remedy)
	case d.Large == 0:
		return one(fmt.Sprintf("packets of %d bytes %s are lost, and smaller ones arrive: something between has a smaller MTU", size, way),
			"raise the MTU of the switches and routers between, or lower that of the tunnels' interface on all hosts: ip link set NAME mtu N")
	case d.Small+d.Large < 2*peer.Repeats:
		return minor(fmt.Sprintf("%d of %d packets %s were lost", 2*peer.Repeats-d.Small-d.Large, 2*peer.Repeats, way), "check the network between the machines for losses")
	}
	return nil
}

// InUserSpace reports whether an agent of this machine forwards in user space. Open vSwitch then takes packets of tunnels before a peer's
// exchange can see them.
func InUserSpace(ctx context.Context, m Machine, socket string) bool {
	t := trial{m, &Subject{Switch: socket}}
	kind, err := t.vsctl(ctx, "--if-exists", "get", "bridge", agentBridge, "datapath_type")
	return err == nil && strings.Trim(kind, `"`) == userDatapath
}
