// SPDX-License-Identifier: Apache-2.0

package frr

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/agent/bgp"
)

// Times, in seconds: FRR's defaults of three minutes would delay a lab.
const (
	keepAlive   = 3
	holdTime    = 9
	retryTime   = 2
	restartTime = 120
	// deferTime is how long a restarted bgpd waits for the routes of its peers before it announces its own.
	deferTime = 10
)

// text is the configuration of bgpd.
func (r *Router) text() string {
	var b strings.Builder
	c := &r.Config
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("frr defaults traditional")
	say("log stdout notifications")
	say("router bgp %d", c.AS)
	say(" bgp router-id %s", c.Address.Addr())
	say(" no bgp ebgp-requires-policy")
	say(" no bgp network import-check")
	say(" no bgp default ipv4-unicast")
	say(" bgp bestpath as-path multipath-relax")
	say(" bgp graceful-restart")
	say(" bgp graceful-restart preserve-fw-state")
	say(" bgp graceful-restart restart-time %d", restartTime)
	say(" bgp graceful-restart select-defer-time %d", deferTime)
	say(" timers bgp %d %d", keepAlive, holdTime)
	for i := range c.Peers {
		p := &c.Peers[i]
		say(" neighbor %s remote-as %d", p.Address, p.AS)
		say(" neighbor %s timers connect %d", p.Address, retryTime)
		if p.Address.Is6() && r.ExtendedNextHop {
			say(" neighbor %s capability extended-nexthop", p.Address)
		}
	}
	r.family(say, "ipv4", netip.Addr.Is4)
	if c.Address6.IsValid() {
		r.family(say, "ipv6", netip.Addr.Is6)
	}
	return b.String()
}

// family is the configuration of one address family, for every peer.
func (r *Router) family(say func(string, ...any), name string, is func(netip.Addr) bool) {
	say(" address-family %s unicast", name)
	for _, p := range r.World {
		if is(p.Addr()) {
			say("  network %s", p)
		}
	}
	for i := range r.Config.Peers {
		say("  neighbor %s activate", r.Config.Peers[i].Address)
	}
	say("  maximum-paths %d", bgp.MaxHops)
	say(" exit-address-family")
}
