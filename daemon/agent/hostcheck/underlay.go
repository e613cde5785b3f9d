// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/ofnet/link"
)

// Underlay looks at what carries the tunnels of a host.
type Underlay struct {
	Host      string
	VTEP      netip.Addr
	Find      func(addr netip.Addr) (link.Underlay, error)
	Interface func(name string) (link.Underlay, error)
	Bridge    func(name string) bool // it is a bridge of Open vSwitch
	Members   func(ctx context.Context, bridge string) (nics []string, err error)
	Flows     func(ctx context.Context, bridge string) (string, error)
}

// Check looks every five seconds.
func (u *Underlay) Check() check.Check {
	return check.Check{Name: "underlay", Interval: 5 * time.Second, Look: u.look}
}

func (u *Underlay) look(ctx context.Context) (out []model.Finding) {
	note := func(code model.FindingCode, severity model.Severity, evidence, remedy string) {
		out = append(out, model.Finding{Code: code, Severity: severity, Object: "host/" + u.Host, Evidence: evidence, Remedy: remedy, Next: "netctl node ls"})
	}
	at, err := u.Find(u.VTEP)
	switch {
	case errors.Is(err, link.ErrNoAddress):
		note(model.FindingVTEPMissing, model.SeverityError, fmt.Sprintf("no interface has the tunnel address %s: nothing comes from other hosts", u.VTEP),
			"give it to the interface that leads to the other hosts, or correct --vtep-ip")
		return out
	case err != nil:
		note(model.FindingUnderlayUnknown, model.SeverityUnknown, "the interface of the tunnel address was not read: "+err.Error(), "check the agent's log")
		return out
	case !at.Up:
		note(model.FindingVTEPDown, model.SeverityError, fmt.Sprintf("interface %s, which has the tunnel address %s, is down", at.Name, u.VTEP), "ip link set "+at.Name+" up, and look at its cable")
	}
	if !u.Bridge(at.Name) {
		return out
	}
	nics, err := u.Members(ctx, at.Name)
	if err != nil {
		note(model.FindingUnderlayUnknown, model.SeverityUnknown, "the ports of bridge "+at.Name+" were not read: "+err.Error(), "look at ovs-vswitchd")
		return out
	}
	for _, nic := range nics {
		member, err := u.Interface(nic)
		if err != nil {
			continue // a port without an interface of the kernel
		}
		if member.MTU < at.MTU {
			note(model.FindingUnderlayMTU, model.SeverityError, fmt.Sprintf("%s has MTU %d, and interface %s with the tunnel address has %d: larger packets are lost", nic, member.MTU, at.Name, at.MTU),
				fmt.Sprintf("ip link set %s mtu %d", nic, at.MTU))
		}
	}
	text, err := u.Flows(ctx, at.Name)
	if err != nil {
		note(model.FindingUnderlayUnknown, model.SeverityUnknown, "the flows of bridge "+at.Name+" were not read: "+err.Error(), "look at ovs-vswitchd")
		return out
	}
	if list := foreign(text); len(list) > 0 {
		note(model.FindingUnderlayFlows, model.SeverityWarning, fmt.Sprintf("bridge %s, which carries the tunnel address, has %d flows that do something else than to switch; the first: %s", at.Name, len(list), list[0]),
			"look at them with ovs-ofctl dump-flows "+at.Name+", and delete those that are not to be")
	}
	return out
}

// foreign are the flows of a bridge, as ovs-vswitchd prints them, that do something else than NORMAL. Its own of higher priority than
// OpenFlow has, and of its internal table, do not count.
func foreign(text string) (out []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		_, actions, ok := strings.Cut(line, "actions=")
		var priority int
		if _, after, has := strings.Cut(line, "priority="); has {
			_, _ = fmt.Sscanf(after, "%d", &priority)
		}
		if ok && actions != "NORMAL" && priority <= 65535 && !strings.Contains(line, "table_id=254") {
			out = append(out, line)
		}
	}
	return out
}
