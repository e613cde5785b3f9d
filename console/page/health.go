package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
)

// missingAfter is how long endpoints may have no interface yet.
const missingAfter = 10 * time.Second

// Problem is one thing that is wrong.
type Problem struct {
	Word, Why string
	Role      theme.Role
	Page      func() *Page // that tells more
}

// Health is how the cluster is: what it is called and why, and everything that is wrong, the worst first.
type Health struct {
	Word, Why string
	Role      theme.Role
	Problems  []Problem
}

// Check tells how the cluster is. It claims nothing that the snapshot does not show, and is HEALTHY when nothing that the console knows of
// is wrong.
func Check(s *feed.Snapshot, now time.Time) Health {
	if s == nil || !s.Synced && s.Err == "" {
		return Health{Word: "CONNECTING", Why: "waiting for the first answer of netmaster", Role: theme.Held}
	}
	all := problems(s, now)
	if len(all) == 0 {
		agents, masters := 0, 0
		for _, n := range s.Nodes {
			if n.Role == model.RoleAgent {
				agents++
			} else {
				masters++
			}
		}
		return Health{Word: "HEALTHY", Role: theme.Good, Why: fmt.Sprintf("%d of %s programmed, %s, %s, nothing waiting", agents, count(agents, "host"),
			count(masters, "master"), count(len(s.Endpoints), "endpoint"))}
	}
	h := Health{Word: all[0].Word, Why: all[0].Why, Role: all[0].Role, Problems: all}
	if len(all) > 1 {
		h.Why += fmt.Sprintf("; %d more", len(all)-1)
	}
	h.Why += " - !"
	return h
}

// problems are all things that are wrong, the worst first.
func problems(s *feed.Snapshot, now time.Time) (out []Problem) {
	if s.Err != "" && !s.Watching || now.Sub(s.Heard) > staleAfter {
		why := s.Err
		if !s.Heard.IsZero() { // the age first: the error may be too long for the line
			why = strings.TrimSuffix(fmt.Sprintf("what is shown is %s old; %s", Age(now.Sub(s.Heard)), why), "; ")
		}
		return []Problem{{"CONNECTION LOST", why, theme.Bad, func() *Page { return connection(s, now) }}}
	}
	if s.Nodes == nil {
		why := "the nodes have not answered"
		if s.Err != "" {
			why += ": " + s.Err
		}
		return []Problem{{"UNKNOWN", why, theme.Held, func() *Page { return connection(s, now) }}}
	}
	if s.Err != "" {
		out = append(out, Problem{"DEGRADED", "netmaster did not answer everything: " + s.Err, theme.Warn, func() *Page { return connection(s, now) }})
	}
	leader := func() *Page { return Leader() }
	if !slices.ContainsFunc(s.Nodes, func(n model.Node) bool { return n.Role == model.RoleLeader }) {
		out = append(out, Problem{"NO LEADER", "no netmaster leads: nothing can be changed", theme.Bad, leader})
	}
	for _, group := range nodeProblems(s, now) {
		out = append(out, group...)
	}
	if l, a, ok := feed.Of[model.Leadership](s, leaderQuestion()); ok && now.Sub(a.At) < 2*feed.Leader.Every() {
		for _, m := range l.Store.Members {
			if m.Error != "" {
				out = append(out, Problem{"DEGRADED", "store member " + m.Name + " does not answer: " + m.Error, theme.Bad, leader})
			}
			switch m.Space {
			case "full":
				out = append(out, Problem{"STORE FULL", "store member " + m.Name + " has used up its quota: nothing can be changed", theme.Bad, leader})
			case "low":
				out = append(out, Problem{"DEGRADED", "store member " + m.Name + " will soon have used up its quota", theme.Warn, leader})
			}
		}
	}
	out = append(out, foundProblems(s, now)...)
	if strings.HasPrefix(s.Base, "http://") {
		out = append(out, Problem{"INSECURE", "nothing is encrypted, and no one is asked for a proof", theme.Warn, insecure})
	}
	for _, key := range exhausted(s) {
		out = append(out, Problem{"DEGRADED", "network " + key + " has no address left", theme.Warn, func() *Page { return addressMap(key) }})
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return weight(b.Role) - weight(a.Role) })
	return out
}

// weight orders problems by how bad they are.
func weight(r theme.Role) int {
	switch r {
	case theme.Bad:
		return 2
	case theme.Warn:
		return 1
	}
	return 0
}

// nodeProblems are what is wrong with masters and hosts, in groups, the worst first. Lag is one problem for all hosts.
func nodeProblems(s *feed.Snapshot, now time.Time) [5][]Problem {
	var out [5][]Problem
	var lagging []string
	agents := 0
	for i := range s.Nodes {
		n := &s.Nodes[i]
		see := func() *Page { return Host(n.Name) }
		if n.Role == model.RoleAgent {
			agents++
		} else {
			see = func() *Page { return Leader() }
		}
		note := func(group int, word, why string, role theme.Role) {
			out[group] = append(out[group], Problem{word, n.Name + why, role, see})
		}
		switch {
		case n.Errors > 0:
			note(0, "DEGRADED", fmt.Sprintf(": %s in trouble: %s", count(n.Errors, "object"), n.Reason), theme.Bad)
		case !n.Ready:
			note(1, "DEGRADED", " is not ready: "+n.Reason, theme.Bad)
		}
		if n.Missing > 0 {
			word, role := "CATCHING UP", theme.Warn
			if since, known := s.Missing[n.Name]; known && now.Sub(since) >= missingAfter {
				word, role = "DEGRADED", theme.Bad
			}
			note(2, word, fmt.Sprintf(": %s without an interface there", count(n.Missing, "endpoint")), role)
		}
		if n.Differs > 0 {
			note(3, "DEGRADED", fmt.Sprintf(": %s not as they should be", count(n.Differs, "thing")), theme.Warn)
		}
		if trouble := uplinkProblem(n); trouble != "" {
			note(3, "DEGRADED", ": "+trouble, theme.Warn)
		}
		if n.Docker != nil && n.Docker.Trouble() != "" {
			note(3, "DEGRADED", ": "+n.Docker.Trouble(), theme.Warn)
		}
		if trouble := n.Kubernetes.Trouble(); trouble != "" {
			note(3, "DEGRADED", ": "+trouble, theme.Warn)
		}
		if n.Lag > 0 {
			lagging = append(lagging, n.Name)
		}
	}
	if len(lagging) > 0 {
		out[4] = []Problem{{"CATCHING UP", fmt.Sprintf("%d of %s have changes on the way", len(lagging), count(agents, "host")), theme.Warn,
			func() *Page { return Host(lagging[0]) }}}
	}
	return out
}

// exhausted are the networks without a free address, of those asked.
func exhausted(s *feed.Snapshot) (out []string) {
	for _, key := range slices.Sorted(maps.Keys(s.Pools)) {
		if p := s.Pools[key]; p.Count > 0 && strings.TrimSpace(p.Available) == "" {
			out = append(out, key)
		}
	}
	return out
}

// connection is the page of a netmaster that does not answer.
func connection(s *feed.Snapshot, now time.Time) *Page {
	heard := "nothing has been heard of it yet"
	if !s.Heard.IsZero() {
		heard = "the last answer came " + Age(now.Sub(s.Heard)) + " ago"
	}
	return Text("connection", "netctl version", fmt.Sprintf("asked      %s\nheard      %s\nerror      %s\n\n"+
		"The console goes on asking. To look at: is the address that of a netmaster, as --netmaster or $NETMASTER says;\n"+
		"does one run there; is there a way to it. Several netmasters, joined by commas, are asked one after the other.", s.Base, heard, s.Err))
}

// insecure says what a cluster without certificates means.
func insecure() *Page {
	return Text("insecure", "netctl version", "The console speaks plain HTTP. Netmasters and agents that run with --insecure do so with everyone who reaches their ports: whoever does may read and\n"+
		"change everything, under any name. contiv init makes a cluster whose hosts, users and store prove who they are.")
}
