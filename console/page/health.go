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

const (
	staleAfter   = 5 * time.Second  // age from which data is called old
	missingAfter = 10 * time.Second // for so long endpoints may have no interface yet
)

// Complaint is one thing that is wrong.
type Complaint struct {
	Word, Why string
	Role      theme.Role
	Page      func() Page // that tells more
}

// Health is the verdict on the cluster: what it is called and why, and everything that is wrong, the worst first.
type Health struct {
	Word, Why  string
	Role       theme.Role
	Complaints []Complaint
}

// Judge gives the verdict. It claims nothing that the snapshot does not show, and is HEALTHY when nothing that the console knows of
// is wrong.
func Judge(s *feed.Snapshot, now time.Time) Health {
	if s == nil || !s.Synced && s.Err == "" {
		return Health{Word: "CONNECTING", Why: "waiting for the first answer of netmaster", Role: theme.Held}
	}
	all := complaints(s, now)
	if len(all) == 0 {
		agents, masters := 0, 0
		for _, n := range s.Nodes {
			if n.Role == model.RoleAgent {
				agents++
			} else {
				masters++
			}
		}
		return Health{Word: "HEALTHY", Role: theme.Good, Why: fmt.Sprintf("%d of %s programmed, %s, %s, nothing waiting", agents, many(agents, "host"),
			many(masters, "master"), many(len(s.Endpoints), "endpoint"))}
	}
	h := Health{Word: all[0].Word, Why: all[0].Why, Role: all[0].Role, Complaints: all}
	if len(all) > 1 {
		h.Why += fmt.Sprintf("; %d more", len(all)-1)
	}
	h.Why += " - !"
	return h
}

// complaints are all things that are wrong, the worst first.
func complaints(s *feed.Snapshot, now time.Time) (out []Complaint) {
	if s.Err != "" && !s.Watching || now.Sub(s.Heard) > staleAfter {
		why := s.Err
		if !s.Heard.IsZero() { // the age first: the error may be too long for the line
			why = strings.TrimSuffix(fmt.Sprintf("what is shown is %s old; %s", Age(now.Sub(s.Heard)), why), "; ")
		}
		return []Complaint{{"CONNECTION LOST", why, theme.Bad, func() Page { return newConnection(s, now) }}}
	}
	if s.Nodes == nil {
		why := "the nodes have not answered"
		if s.Err != "" {
			why += ": " + s.Err
		}
		return []Complaint{{"UNKNOWN", why, theme.Held, func() Page { return newConnection(s, now) }}}
	}
	if s.Err != "" {
		out = append(out, Complaint{"DEGRADED", "netmaster did not answer everything: " + s.Err, theme.Warn, func() Page { return newConnection(s, now) }})
	}
	leader := func() Page { return NewLeader() }
	if !slices.ContainsFunc(s.Nodes, func(n model.Node) bool { return n.Role == model.RoleLeader }) {
		out = append(out, Complaint{"NO LEADER", "no netmaster leads: nothing can be changed", theme.Bad, leader})
	}
	for _, sort := range nodeComplaints(s, now) {
		out = append(out, sort...)
	}
	if l, a, ok := feed.Of[model.Leadership](s, lead()); ok && now.Sub(a.At) < 2*feed.Lead.Every() {
		for _, m := range l.Store.Members {
			if m.Error != "" {
				out = append(out, Complaint{"DEGRADED", "store member " + m.Name + " does not answer: " + m.Error, theme.Bad, leader})
			}
		}
	}
	for _, key := range exhausted(s) {
		out = append(out, Complaint{"DEGRADED", "network " + key + " has no address left", theme.Warn, func() Page { return NewBitmap(key) }})
	}
	slices.SortStableFunc(out, func(a, b Complaint) int { return weight(b.Role) - weight(a.Role) })
	return out
}

// weight orders complaints by how bad they are.
func weight(r theme.Role) int {
	switch r {
	case theme.Bad:
		return 2
	case theme.Warn:
		return 1
	}
	return 0
}

// nodeComplaints are what is wrong with masters and hosts, by sort, the worst sort first. Lag is one complaint for all hosts.
func nodeComplaints(s *feed.Snapshot, now time.Time) [5][]Complaint {
	var out [5][]Complaint
	var lagging []string
	agents := 0
	for i := range s.Nodes {
		n := &s.Nodes[i]
		see := func() Page { return NewTrouble(n.Name) }
		if n.Role == model.RoleAgent {
			agents++
		} else {
			see = func() Page { return NewLeader() }
		}
		note := func(sort int, word, why string, role theme.Role) {
			out[sort] = append(out[sort], Complaint{word, n.Name + why, role, see})
		}
		switch {
		case n.Errors > 0:
			note(0, "DEGRADED", fmt.Sprintf(": %s in trouble: %s", many(n.Errors, "object"), n.Reason), theme.Bad)
		case !n.Ready:
			note(1, "DEGRADED", " is not ready: "+n.Reason, theme.Bad)
		}
		if n.Missing > 0 {
			word, role := "CATCHING UP", theme.Warn
			if since, known := s.Missing[n.Name]; known && now.Sub(since) >= missingAfter {
				word, role = "DEGRADED", theme.Bad
			}
			note(2, word, fmt.Sprintf(": %s without an interface there", many(n.Missing, "endpoint")), role)
		}
		if n.Differs > 0 {
			note(3, "DEGRADED", fmt.Sprintf(": %s not as they should be", many(n.Differs, "thing")), theme.Warn)
		}
		if trouble := uplinkTrouble(n); trouble != "" {
			note(3, "DEGRADED", ": "+trouble, theme.Warn)
		}
		if n.Lag > 0 {
			lagging = append(lagging, n.Name)
		}
	}
	if len(lagging) > 0 {
		out[4] = []Complaint{{"CATCHING UP", fmt.Sprintf("%d of %s have changes on the way", len(lagging), many(agents, "host")), theme.Warn,
			func() Page { return NewTrouble(lagging[0]) }}}
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

// newConnection is the page of a netmaster that does not answer.
func newConnection(s *feed.Snapshot, now time.Time) Page {
	heard := "nothing has been heard of it yet"
	if !s.Heard.IsZero() {
		heard = "the last answer came " + Age(now.Sub(s.Heard)) + " ago"
	}
	return NewText("connection", "netctl version", fmt.Sprintf("asked      %s\nheard      %s\nerror      %s\n\n"+
		"The console goes on asking. To look at: is the address that of a netmaster, as --netmaster or $NETMASTER says;\n"+
		"does one run there; is there a way to it. Several netmasters, joined by commas, are asked one after the other.", s.Base, heard, s.Err))
}

// nothing is what an empty list says: text when what it shows has been heard, else that it is not known.
func nothing(s *feed.Snapshot, heard bool, text string) string {
	switch {
	case heard:
		return text
	case s.Err != "":
		return "not known: " + s.Err
	}
	return "not known yet"
}

// Age says a duration in its largest unit.
func Age(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// since is how long ago a time was, in steps that do not change the screen every second.
func since(text string, now time.Time) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "-"
	}
	age := now.Sub(at)
	if age < time.Minute {
		age = age.Truncate(10 * time.Second)
	}
	return Age(age)
}
