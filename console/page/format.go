// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
)

// staleAfter is the age from which data is called old.
const staleAfter = 5 * time.Second

// answerState is a line about an answer: "" when there is one without fault.
func answerState(c Canvas, a feed.Answer, who string) string {
	t := c.Theme
	switch age := Age(c.Now.Sub(a.At)); {
	case a.Err != "" && a.Value == nil:
		return t.Paint(theme.Bad, t.Glyphs.Cross+" "+who+": "+a.Err)
	case a.Err != "":
		return t.Paint(theme.Bad, t.Glyphs.Cross+" "+who+", shown as it was "+age+" ago: "+a.Err)
	case a.Value == nil:
		return t.Paint(theme.Held, t.Glyphs.Half+" "+who+" has been asked")
	case c.Now.Sub(a.At) > staleAfter:
		return t.Paint(theme.Warn, t.Glyphs.Half+" "+who+" answered "+age+" ago")
	}
	return ""
}

// nothing is the text of an empty list: text if its content has been received, otherwise that it is unknown.
func nothing(s *feed.Snapshot, received bool, text string) string {
	switch {
	case received:
		return text
	case s.Err != "":
		return "not known: " + s.Err
	}
	return "not known yet"
}

// empty is nothing of a list that is received with the watch stream.
func empty(text string) func(s *feed.Snapshot) string {
	return func(s *feed.Snapshot) string { return nothing(s, s.Synced, text) }
}

// noneOf is nothing for a list of objects. If another system owns them it includes whether they are read.
func noneOf(k *model.Kind) func(s *feed.Snapshot) string {
	if k.Owner == "" {
		return empty("none")
	}
	return func(s *feed.Snapshot) string {
		i := slices.IndexFunc(s.Nodes, func(n model.Node) bool { return n.Role == model.RoleLeader && n.Answered() })
		switch {
		case i < 0:
			return nothing(s, false, "")
		case s.Nodes[i].Kubernetes == nil:
			return nothing(s, s.Synced, model.KubernetesStatus{}.None(k))
		}
		return nothing(s, s.Synced, s.Nodes[i].Kubernetes.None(k))
	}
}

// noNodes is nothing of a list that is received with the nodes.
func noNodes(text string) func(s *feed.Snapshot) string {
	return func(s *feed.Snapshot) string { return nothing(s, s.Nodes != nil, text) }
}

// Age formats a duration in its largest unit.
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

// ageOf is how long ago a time was; "?" when it is not known.
func ageOf(since *time.Time, now time.Time) string {
	if since == nil {
		return "?"
	}
	return Age(now.Sub(*since))
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

// count is a number of things: "1 VLAN", "2 VLANs".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// without is a theme that paints nothing, for cells that are painted as a whole.
func without(t *theme.Theme) *theme.Theme { return &theme.Theme{Glyphs: t.Glyphs} }
