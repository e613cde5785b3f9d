// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/daemon/agent/check"
)

// Router looks at the sessions of the host's BGP router, and at the next hops that its peers name.
type Router struct {
	Host   string
	Status func() (bgp.Status, error) // bgp.ErrNoRouter: the host has none
}

// Check looks every five seconds.
func (r *Router) Check() check.Check {
	return check.Check{Name: "BGP", Interval: 5 * time.Second, Look: r.look}
}

func (r *Router) look(context.Context) (out []model.Finding) {
	s, err := r.Status()
	if errors.Is(err, bgp.ErrNoRouter) {
		return nil
	}
	note := func(code model.FindingCode, severity model.Severity, evidence, remedy string) {
		out = append(out, model.Finding{Code: code, Severity: severity, Object: "bgp/" + r.Host, Evidence: evidence, Remedy: remedy, Next: "netctl bgp inspect " + r.Host})
	}
	if err != nil {
		note(model.FindingBGPUnknown, model.SeverityUnknown, "the router did not report its state: "+err.Error(), "check the agent's log")
		return out
	}
	if s.Error != "" {
		note(model.FindingBGPRouter, model.SeverityError, s.Error, "do as the error says, and set the router again")
	}
	for i := range s.Peers {
		p := &s.Peers[i]
		if p.Established() {
			continue
		}
		state := fmt.Sprintf("the session with %s (AS %d) is not established: %s", p.Conf.NeighborAddress, p.Conf.PeerAS, p.State.SessionState)
		if p.State.Reason != "" {
			state += "; the last one ended: " + p.State.Reason
		}
		if p.State.Restarting {
			note(model.FindingBGPRestarting, model.SeverityWarning, state+"; what it announced is kept until it is back", "wait for the peer, or start it")
			continue
		}
		note(model.FindingBGPDown, model.SeverityError, state, "look whether the peer runs and is set up for this host's address, AS and password, and whether TCP port 179 passes")
	}
	for _, h := range s.Hops {
		if h.MAC == "" {
			note(model.FindingBGPNexthop, model.SeverityError, fmt.Sprintf("%d prefixes lead to next hop %s, whose link address is unknown: packets to prefixes without another next hop are dropped", h.Prefixes, h.Address),
				"have the peer announce next hops that are on the link to this host")
		}
	}
	return out
}
