// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// status is columns of a kind's table that its descriptor does not have: what becomes of its objects.
type status struct {
	headers []string // of a low rank
	asks    func(s *feed.Snapshot) []feed.Question
	// prepare reads the answers once and returns what gives each object its cells and its role. It runs in the background.
	prepare func(s *feed.Snapshot) func(o model.Object) ([]string, theme.Role)
}

// statusOf is the status of a kind; nil: it has none.
func statusOf(k *model.Kind) *status {
	switch k {
	case model.KindRule():
		return &status{[]string{"Packets", "Pkt/s", "Phase"}, ruleQuestions, ruleStatus}
	case model.KindPolicy():
		return &status{[]string{"Groups", "Rules", "Packets", "Pkt/s"}, ruleQuestions, policyStatus}
	case model.KindServiceLB():
		return &status{[]string{"Backends"}, stateQuestions(k), serviceStatus}
	case model.KindBgp():
		return &status{[]string{"Sessions", "Routes"}, stateQuestions(k), routerStatus}
	}
	return nil
}

// maxAsked bounds the number of requested objects of a kind.
const maxAsked = 200

func stateQuestions(k *model.Kind) func(s *feed.Snapshot) []feed.Question {
	return func(s *feed.Snapshot) (out []feed.Question) {
		for _, o := range s.Objects[k.Name] {
			if len(out) < maxAsked {
				out = append(out, feed.Question{Topic: feed.State, Kind: k.Name, Key: o.ObjectKey()})
			}
		}
		return out
	}
}

// packetCells is the number of counted packets, and the rate. The share of silent hosts is unknown: with them the number is a minimum.
func packetCells(h *hits, silent bool) (packets, rate string) {
	switch {
	case h == nil && silent:
		return "?", "?"
	case h == nil:
		return "-", "-"
	}
	packets, rate = widget.SI(float64(h.packets)), "?"
	if h.rated {
		rate = widget.SI(h.rate)
	}
	if silent {
		packets += "+"
	}
	return packets, rate
}

func ruleStatus(s *feed.Snapshot) func(model.Object) ([]string, theme.Role) {
	all, silent := ruleHits(s), silentHosts(s)
	unknown := "? " + strings.Join(silent, " ") + " silent"
	return func(o model.Object) ([]string, theme.Role) {
		h := all[o.ObjectKey()]
		packets, rate := packetCells(h, len(silent) > 0)
		switch {
		case s.Past():
			return []string{"?", "?", "not recorded"}, theme.Dim
		case h == nil && len(silent) > 0:
			return []string{packets, rate, unknown}, theme.Dim
		case h == nil:
			return []string{packets, rate, "on no host"}, theme.Dim
		}
		role, phase := theme.Plain, h.worst
		switch h.worst {
		case "error", "closed":
			role, phase = theme.Bad, h.worst+": "+h.why
		case "pending":
			role = theme.Held
		}
		if len(silent) > 0 {
			phase += ", " + unknown
		}
		return []string{packets, rate, phase}, role
	}
}

func policyStatus(s *feed.Snapshot) func(model.Object) ([]string, theme.Role) {
	sums, rules, groups := map[string]*hits{}, map[string]int{}, map[string]int{}
	all, silent := ruleHits(s), silentHosts(s)
	for _, r := range each[*model.Rule](s) {
		key := model.Key(r.TenantName, r.PolicyName)
		rules[key]++
		if h := all[r.ObjectKey()]; h != nil {
			if sums[key] == nil {
				sums[key] = &hits{}
			}
			sum := sums[key]
			sum.packets, sum.rate, sum.rated = sum.packets+h.packets, sum.rate+h.rate, sum.rated || h.rated
		}
	}
	for _, g := range each[*model.EndpointGroup](s) {
		for _, name := range g.Policies {
			groups[model.Key(g.TenantName, name)]++
		}
	}
	return func(o model.Object) ([]string, theme.Role) {
		packets, rate := packetCells(sums[o.ObjectKey()], len(silent) > 0 || s.Past())
		return []string{strconv.Itoa(groups[o.ObjectKey()]), strconv.Itoa(rules[o.ObjectKey()]), packets, rate}, theme.Plain
	}
}

func serviceStatus(s *feed.Snapshot) func(model.Object) ([]string, theme.Role) {
	return func(o model.Object) ([]string, theme.Role) {
		state, _, ok := feed.Of[*model.ServiceLBInspect](s, feed.Question{Topic: feed.State, Kind: model.KindServiceLB().Name, Key: o.ObjectKey()})
		if !ok || state.Oper == nil {
			return []string{"?"}, theme.Dim
		}
		var backends []string
		for _, e := range state.Oper.Providers {
			address := "-"
			if len(e.IpAddress) > 0 {
				address = e.IpAddress[0]
			}
			backends = append(backends, address)
		}
		slices.Sort(backends)
		if len(backends) == 0 {
			return []string{"no container matches"}, theme.Warn
		}
		return []string{strings.Join(backends, " ")}, theme.Plain
	}
}

func routerStatus(s *feed.Snapshot) func(model.Object) ([]string, theme.Role) {
	return func(o model.Object) ([]string, theme.Role) {
		state, _, ok := feed.Of[*model.BgpInspect](s, feed.Question{Topic: feed.State, Kind: model.KindBgp().Name, Key: o.ObjectKey()})
		if !ok || state.Oper == nil {
			return []string{"?", "?"}, theme.Dim
		}
		role := theme.Warn
		if strings.EqualFold(state.Oper.NeighborStatus, "established") {
			role = theme.Good
		}
		sessions, routes := state.Oper.NeighborStatus, strconv.Itoa(state.Oper.NumRoutes)
		if n := len(state.Oper.Neighbors); n > 1 {
			up := 0
			for _, line := range state.Oper.Neighbors {
				if word := strings.Fields(line); len(word) > 3 && word[3] == "established," { // after ADDRESS AS NUMBER
					up++
				}
			}
			sessions = fmt.Sprintf("%d of %d established", up, n)
		}
		if n := len(state.Oper.Kept); n > 0 {
			routes += fmt.Sprintf(", %d kept", n)
		}
		return []string{sessions, routes}, role
	}
}
