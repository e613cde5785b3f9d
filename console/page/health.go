package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
)

// staleAfter is the age from which data is called old.
const staleAfter = 5 * time.Second

// Health is the verdict on the cluster, worst thing first.
type Health struct {
	Word, Why string
	Role      theme.Role
	Page      string // that tells more, by name; "" when there is none
}

// Judge gives the verdict. It claims nothing that the snapshot does not show.
func Judge(s *feed.Snapshot, now time.Time) Health {
	if s == nil || !s.Synced && s.Err == "" {
		return Health{"CONNECTING", "waiting for the first answer of netmaster", theme.Held, ""}
	}
	if s.Err != "" && !s.Watching || now.Sub(s.Heard) > staleAfter {
		why := s.Err
		if !s.Heard.IsZero() { // the age first: the error may be too long for the line
			why = fmt.Sprintf("what is shown is %s old; %s", Age(now.Sub(s.Heard)), why)
		}
		return Health{"CONNECTION LOST", why, theme.Bad, ""}
	}
	var agents, masters, lagging int
	leader := ""
	var sick *model.Node
	for i, n := range s.Nodes {
		switch n.Role {
		case model.RoleLeader:
			leader = n.Name
			masters++
		case model.RoleFollower:
			masters++
		case model.RoleAgent:
			agents++
		}
		if (!n.Ready || n.Errors > 0) && sick == nil {
			sick = &s.Nodes[i]
		}
		if n.Lag > 0 {
			lagging++
		}
	}
	switch {
	case len(s.Nodes) == 0:
		return Health{"UNKNOWN", "the nodes have not answered: " + s.Err, theme.Held, ""}
	case leader == "":
		return Health{"NO LEADER", "no netmaster leads: nothing can be changed; ! shows the masters", theme.Bad, "leader"}
	case sick != nil && sick.Errors > 0:
		return Health{"DEGRADED", fmt.Sprintf("%s: %s in trouble: %s - !", sick.Name, many(int(sick.Errors), "object"), sick.Reason), theme.Bad, "flows"}
	case sick != nil:
		return Health{"DEGRADED", sick.Name + " is not ready: " + sick.Reason + " - !", theme.Bad, "overview"}
	case lagging > 0:
		return Health{"CATCHING UP", fmt.Sprintf("%d of %s have changes on the way", lagging, many(agents, "host")), theme.Warn, "overview"}
	}
	if key := exhausted(s); key != "" {
		return Health{"DEGRADED", "network " + key + " has no address left - !", theme.Warn, "addresses"}
	}
	return Health{"HEALTHY", fmt.Sprintf("%d of %s programmed, %s, %s, nothing waiting", agents, many(agents, "host"), many(masters, "master"), many(len(s.Endpoints), "endpoint")), theme.Good, ""}
}

// exhausted is the first network without a free address; "" when none of those asked is.
func exhausted(s *feed.Snapshot) string {
	first := ""
	for key, p := range s.Pools {
		if p.Count > 0 && strings.TrimSpace(p.Available) == "" && (first == "" || key < first) {
			first = key
		}
	}
	return first
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
