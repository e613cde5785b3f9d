// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
)

// bgpAnswer is an agent's answer about its router: GET /inspect/bgp.
type bgpAnswer struct {
	Peers     []bgpPeer
	Dsts      []string
	Kept      []string
	Announced []string
	Error     string // why sessions are not as they should be
	NextHops  []struct {
		Address, MAC string
		Prefixes     int
	}
}

// bgpPeer is a session of an agent's router.
type bgpPeer struct {
	Conf struct {
		NeighborAddress string
		PeerAS          uint32
	}
	State struct {
		AdminState, SessionState json.RawMessage
		Families                 []string
		Signed                   bool
		Since                    time.Time
		Received, Announced      uint64
		Restarting               bool
		Reason                   string
	}
}

const established = "established"

// String is the session in a line, for operators.
func (p *bgpPeer) String() string {
	s := &p.State
	out := fmt.Sprintf("%s AS %d %s", p.Conf.NeighborAddress, p.Conf.PeerAS, word(s.SessionState))
	if s.Signed {
		out += " with a password"
	}
	switch {
	case word(s.SessionState) == established:
		out += fmt.Sprintf(", %s, %d received, %d announced", strings.Join(s.Families, "+"), s.Received, s.Announced)
		if !s.Since.IsZero() {
			out += ", since " + s.Since.UTC().Format(time.RFC3339)
		}
	case s.Reason != "":
		out += ": " + s.Reason
	}
	if s.Restarting {
		out += ", restarting, its routes are kept"
	}
	return out
}

// router asks the host's agent how its router is. A router whose host has no registered agent has no state.
func (i *Inspector) router(ctx context.Context, out model.BgpInspect) (any, error) {
	agent := i.Peers.Agent(out.Config.Hostname)
	if agent == "" {
		return out, nil
	}
	var answer bgpAnswer
	if err := i.Peers.Ask(ctx, agent, "/inspect/bgp", &answer); err != nil {
		return nil, model.Errorf(model.CodeNotReady, "", "%v", err).Because(err).
			Try("is the agent of %s running? see netctl node ls", out.Config.Hostname)
	}
	for i := range answer.Peers {
		p := &answer.Peers[i]
		if state := word(p.State.SessionState); i == 0 || state != established {
			out.Oper.NeighborStatus, out.Oper.AdminStatus = state, word(p.State.AdminState)
		}
		if p.Conf.NeighborAddress != "" {
			out.Oper.Neighbors = append(out.Oper.Neighbors, p.String())
		}
	}
	if answer.Error != "" {
		out.Oper.Neighbors = append(out.Oper.Neighbors, answer.Error)
	}
	for _, h := range answer.NextHops {
		out.Oper.NextHops = append(out.Oper.NextHops, fmt.Sprintf("%s %s, %d routes", h.Address, cmp.Or(h.MAC, "waits for its link address"), h.Prefixes))
	}
	out.Oper.Routes, out.Oper.NumRoutes = answer.Dsts, len(answer.Dsts)
	out.Oper.Kept, out.Oper.Announced = answer.Kept, answer.Announced
	return out, nil
}

// word reads a state, which agents give as a string or as a number.
func word(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
