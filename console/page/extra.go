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

// extra is columns of a kind's table that its descriptor does not know: how its objects fare.
type extra struct {
	headers   []string
	questions func(s *feed.Snapshot) []feed.Question
	// prepare reads the answers once and returns what gives each object its cells and its role. It runs apart from the
	// drawing thread.
	prepare func(s *feed.Snapshot) func(o model.Object) ([]string, theme.Role)
}

// extraOf is the extra of a kind; nil: it has none.
func extraOf(k *model.Kind) *extra {
	switch k {
	case model.KindRule():
		return &extra{[]string{"Packets", "Pkt/s", "Phase"}, ruleQuestions, rulesFare}
	case model.KindPolicy():
		return &extra{[]string{"Groups", "Rules", "Packets", "Pkt/s"}, ruleQuestions, policiesFare}
	case model.KindServiceLB():
		return &extra{[]string{"Address", "Ports", "Backends"}, stateQuestions(k), servicesFare}
	case model.KindBgp():
		return &extra{[]string{"Sessions", "Routes"}, stateQuestions(k), routersFare}
	}
	return nil
}

// statesAtOnce bounds how many objects of a kind are asked about.
const statesAtOnce = 200

func stateQuestions(k *model.Kind) func(s *feed.Snapshot) []feed.Question {
	return func(s *feed.Snapshot) (out []feed.Question) {
		for _, o := range s.Objects[k.Name] {
			if len(out) < statesAtOnce {
				out = append(out, feed.Question{Topic: feed.State, Kind: k.Name, Key: o.ObjectKey()})
			}
		}
		return out
	}
}

func rate(h *hits) string {
	if !h.rated {
		return "?"
	}
	return widget.Humane(h.rate)
}

func rulesFare(s *feed.Snapshot) func(model.Object) ([]string, theme.Role) {
	all, silent := ruleHits(s), unheard(s)
	return func(o model.Object) ([]string, theme.Role) {
		h := all[o.ObjectKey()]
		switch {
		case h == nil && len(silent) > 0:
			return []string{"?", "?", "? " + strings.Join(silent, " ") + " silent"}, theme.Dim
		case h == nil:
			return []string{"-", "-", "on no host"}, theme.Dim
		}
		role, phase := theme.Plain, h.worst
		switch h.worst {
		case "error", "closed":
			role, phase = theme.Bad, h.worst+": "+h.why
		case "pending":
			role = theme.Held
		}
		packets, persecond := widget.Humane(float64(h.packets)), rate(h)
		if len(silent) > 0 { // their share is not known: it is at least so many
			packets, phase = packets+"+", phase+", ? "+strings.Join(silent, " ")+" silent"
		}
		return []string{packets, persecond, phase}, role
	}
}

func policiesFare(s *feed.Snapshot) func(model.Object) ([]string, theme.Role) {
	sums, rules, groups := map[string]*hits{}, map[string]int{}, map[string]int{}
	all, silent := ruleHits(s), unheard(s)
	for _, o := range s.Objects[model.KindRule().Name] {
		r, ok := o.(*model.Rule)
		if !ok {
			continue
		}
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
	for _, o := range s.Objects[model.KindEndpointGroup().Name] {
		if g, ok := o.(*model.EndpointGroup); ok {
			for _, name := range g.Policies {
				groups[model.Key(g.TenantName, name)]++
			}
		}
	}
	return func(o model.Object) ([]string, theme.Role) {
		key := o.ObjectKey()
		packets, persecond := "-", "-"
		h := sums[key]
		if h == nil && len(silent) > 0 {
			packets, persecond = "?", "?"
		}
		if h != nil {
			packets, persecond = widget.Humane(float64(h.packets)), rate(h)
		}
		if h != nil && len(silent) > 0 {
			packets += "+"
		}
		return []string{strconv.Itoa(groups[key]), strconv.Itoa(rules[key]), packets, persecond}, theme.Plain
	}
}

func servicesFare(s *feed.Snapshot) func(model.Object) ([]string, theme.Role) {
	return func(o model.Object) ([]string, theme.Role) {
		service, _ := o.(*model.ServiceLB)
		state, _, ok := feed.Of[*model.ServiceLBInspect](s, feed.Question{Topic: feed.State, Kind: model.KindServiceLB().Name, Key: o.ObjectKey()})
		if !ok || state.Oper == nil || service == nil {
			return []string{"?", "?", "?"}, theme.Dim
		}
		var backends []string
		for _, e := range state.Oper.Providers {
			backends = append(backends, firstAddress(&e))
		}
		slices.Sort(backends)
		role, who := theme.Plain, strconv.Itoa(len(backends))+" "+strings.Join(backends, " ")
		if len(backends) == 0 {
			role, who = theme.Warn, "0 no container matches"
		}
		return []string{state.Oper.ServiceVip, strings.Join(service.Ports, " "), who}, role
	}
}

func routersFare(s *feed.Snapshot) func(model.Object) ([]string, theme.Role) {
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
				if word := strings.Fields(line); len(word) > 3 && word[3] == "established," { // behind ADDRESS AS NUMBER
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
