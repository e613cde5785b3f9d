// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/identity"
)

func findingsEntry() Entry {
	return Entry{Name: "findings", Short: "doctor", Aliases: []string{"finding", "doctor", "health", "wrong"}, About: "problems with their remedies", Make: Findings}
}

// HealthQuestion is asked on every page: the second line shows the worst finding.
func HealthQuestion() feed.Question { return feed.Question{Topic: feed.Health} }

// Findings makes the page of all that is wrong.
func Findings() *Page {
	l := &list[*model.Finding]{
		headers: columns("Level", "Code", "Object", "Host", "Since", "What"),
		empty:   func(*feed.Snapshot) string { return "no problems found" },
		above:   answered(HealthQuestion(), "netmaster"),
		items: func(s *feed.Snapshot) (out []*model.Finding) {
			h, _, _ := feed.Of[model.Health](s, HealthQuestion())
			for i := range h.Findings {
				out = append(out, &h.Findings[i])
			}
			return out
		},
		id: findingID,
		row: func(c Canvas, _ *feed.Snapshot, f *model.Finding) widget.Row {
			cells := []string{string(f.Severity), f.Code.String(), f.Object, cmp.Or(f.Host, "-"), sinceText(c.Now, f.Since), f.Evidence + effects(f)}
			switch {
			case f.CausedBy != nil:
				cells[len(cells)-1] = "because of " + f.CausedBy.String() + ": " + f.Evidence
			case f.Acknowledged != nil:
				cells[len(cells)-1] = f.Acknowledged.Text() + "; " + f.Evidence
			default:
				return widget.Row{Cells: cells}
			}
			return widget.Row{Cells: cells, Role: theme.Dim}
		},
	}
	return &Page{Name: "findings", Command: "netctl status", Body: l, Beside: l.beside(finding), Keys: []Key{
		l.with("enter", "show the host or the object", func(f *model.Finding, s *feed.Snapshot) Action { return open(culprit(f, s)) }).hint("enter", "object"),
		l.on("d", "show the finding in full, with the remedy", func(f *model.Finding) Action { return open(finding(f)) }).hint("d", "details"),
	}}
}

func findingID(f *model.Finding) string {
	return strings.Join([]string{f.Code.String(), f.Host, f.Object}, " ")
}

// sinceText is how long ago a time of RFC 3339 was.
func sinceText(now time.Time, at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return "?"
	}
	return Age(now.Sub(t))
}

// culprit is the page of what a finding is about; of what has none, the finding in full.
func culprit(f *model.Finding, s *feed.Snapshot) *Page {
	object, _ := identity.ParseRef(f.Object)
	switch name := object.Name; object.Kind {
	case "host":
		return Node(name)
	case "endpoint":
		if e := findEndpoint(s, name); e != nil {
			return Description(model.KindEndpoint(), name)
		}
	case "uplink":
		return Node(identity.Scope(name))
	case "network":
		return Description(model.KindNetwork(), name)
	case "service":
		return Description(model.KindServiceLB(), name)
	case "rule":
		return Description(model.KindRule(), name)
	case "master", "store", "cluster":
		return Leader()
	}
	return finding(f)
}

// finding is the page of one finding, with what its code means in general.
func finding(f *model.Finding) *Page {
	about := ""
	if info, known := f.Code.Info(); known {
		about = "\n\n" + info.Doc + "\n" + info.Remedy
	}
	if f.CausedBy != nil {
		about = "\nbecause of " + f.CausedBy.String() + about
	}
	if f.Acknowledged != nil {
		about = "\n" + f.Acknowledged.Text() + about
	}
	if f.Effects > 0 {
		about = "\neffects    " + strconv.Itoa(f.Effects) + " other findings follow from this one" + about
	}
	return Text("finding", "netctl doctor", strings.Join([]string{"severity   " + string(f.Severity), "code       " + f.Code.String(), "object     " + f.Object, "found on   " + cmp.Or(f.Host, "a netmaster"),
		"since      " + f.Since, "seen       " + f.Evidence, "remedy     " + f.Remedy, "see        " + f.Next}, "\n")+about)
}
