// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/identity"
)

// Problem is one thing that is wrong.
type Problem struct {
	Word, Why string
	Role      theme.Role
	Page      func() *Page // with details
}

// Health is how the cluster is: what it is called and why, and everything that is wrong, the worst first.
type Health struct {
	Word, Why string
	Role      theme.Role
	Problems  []Problem
}

// Check describes the state of the cluster: netmaster's verdict, as netctl status prints it, and whether the console receives it. It is
// HEALTHY if there is no finding.
func Check(s *feed.Snapshot, now time.Time) Health {
	if s == nil || !s.Synced && s.Err == "" {
		return Health{Word: "CONNECTING", Why: "waiting for the first response of netmaster", Role: theme.Held}
	}
	all := problems(s, now)
	if len(all) == 0 && s.Past() {
		return Health{Word: "NO FINDING", Role: theme.Good, Why: "none was open, by the timeline; " + count(len(s.Endpoints), "endpoint")}
	}
	if len(all) == 0 {
		agents, masters := 0, 0
		for _, n := range s.Nodes {
			if n.Role == model.RoleAgent {
				agents++
			} else {
				masters++
			}
		}
		return Health{Word: "HEALTHY", Role: theme.Good, Why: fmt.Sprintf("%d of %s programmed, %s, %s, none pending", agents, count(agents, "host"),
			count(masters, "master"), count(len(s.Endpoints), "endpoint"))}
	}
	h := Health{Word: all[0].Word, Why: all[0].Why, Role: all[0].Role, Problems: all}
	if len(all) > 1 {
		h.Why += fmt.Sprintf("; %d more", len(all)-1)
	}
	h.Why += " - !"
	return h
}

// Lost reports whether no netmaster answers: what a snapshot holds was so when the last one did.
func Lost(s *feed.Snapshot, now time.Time) bool {
	return s.Err != "" && !s.Watching || now.Sub(s.Received) > staleAfter
}

// problems are all things that are wrong, the worst first.
func problems(s *feed.Snapshot, now time.Time) (out []Problem) {
	if Lost(s, now) {
		why := s.Err
		if !s.Received.IsZero() { // the age first: the error may be too long for the line
			why = strings.TrimSuffix(fmt.Sprintf("the data is %s old; %s", Age(now.Sub(s.Received)), why), "; ")
		}
		return []Problem{{"CONNECTION LOST", why, theme.Bad, func() *Page { return connection(s, now) }}}
	}
	if s.Past() {
		return found(s, now)
	}
	if s.Nodes == nil {
		why := "the nodes have not answered"
		if s.Err != "" {
			why += ": " + s.Err
		}
		return []Problem{{"UNKNOWN", why, theme.Warn, func() *Page { return connection(s, now) }}}
	}
	if s.Err != "" {
		out = append(out, Problem{"DEGRADED", "netmaster did not answer all requests: " + s.Err, theme.Warn, func() *Page { return connection(s, now) }})
	}
	out = append(out, found(s, now)...)
	if strings.HasPrefix(s.Base, "http://") {
		out = append(out, Problem{"INSECURE", "no encryption, no authentication", theme.Warn, insecure})
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

// staleVerdict is after how long without an answer the verdict is not known any more.
const staleVerdict = 10 * time.Second

// found are the findings of the cluster's verdict, which netmaster makes; without them the state is unknown.
func found(s *feed.Snapshot, now time.Time) (out []Problem) {
	h, a, ok := feed.Of[model.Health](s, HealthQuestion())
	if !ok || now.Sub(a.At) > staleVerdict {
		why := "netmaster has not reported the health of the cluster"
		if a.Err != "" {
			why += ": " + a.Err
		}
		return []Problem{{"UNKNOWN", why, theme.Held, func() *Page { return connection(s, now) }}}
	}
	for i := range h.Findings {
		f := &h.Findings[i]
		if f.Severity == model.SeverityInfo || f.CausedBy != nil {
			continue // a cause stands for what follows from it
		}
		word, role := wordOf(f)
		if f.Acknowledged != nil {
			word, role = "ACKNOWLEDGED", theme.Held // last, and never the state of the cluster while there is another problem
		}
		out = append(out, Problem{word, subjectOf(f) + ": " + f.Evidence + effects(f), role, func() *Page { return culprit(f, s) }})
	}
	return out
}

// effects is the number of findings that follow from one, in words.
func effects(f *model.Finding) string {
	if f.Effects == 0 {
		return ""
	}
	return fmt.Sprintf(" (effects: %d)", f.Effects)
}

// wordOf is what the second line calls the cluster for a finding.
func wordOf(f *model.Finding) (string, theme.Role) {
	words := map[model.FindingCode]string{model.FindingLeaderMissing: "NO LEADER", model.FindingStoreFull: "STORE FULL"}
	switch f.Severity {
	case model.SeverityError:
		return cmp.Or(words[f.Code], "DEGRADED"), theme.Bad
	case model.SeverityUnknown:
		return "UNKNOWN", theme.Held
	}
	if f.Code == model.FindingAgentLag || f.Code == model.FindingInterfacesMissing {
		return "CATCHING UP", theme.Warn
	}
	return "WARNING", theme.Warn
}

// subjectOf is what a finding is about, in few characters.
func subjectOf(f *model.Finding) string {
	object, _ := identity.ParseRef(f.Object)
	switch name := object.Name; object.Kind {
	case "host", "endpoint":
		return name
	case "cluster":
		return "cluster"
	}
	return object.Kind + " " + object.Name
}

// connection is the page of a netmaster that does not answer.
func connection(s *feed.Snapshot, now time.Time) *Page {
	heard := "no response yet"
	if !s.Received.IsZero() {
		heard = "last response " + Age(now.Sub(s.Received)) + " ago"
	}
	return Text("connection", "netctl version", fmt.Sprintf("address    %s\nresponse   %s\nerror      %s\n\n"+
		"The console keeps trying. Check that --netmaster or $NETMASTER is the address of a netmaster, that a netmaster\n"+
		"runs there, and that it is reachable. If several netmasters are given, separated by commas, they are tried in turn.", s.Base, heard, s.Err))
}

// insecure describes the risk of a cluster without certificates.
func insecure() *Page {
	return Text("insecure", "netctl version", "The console uses plain HTTP. Netmasters and agents that run with --insecure accept it from everyone who reaches their ports: any client can read and\n"+
		"change everything, under any name. contiv init creates a cluster with authentication of hosts, users and store.")
}
