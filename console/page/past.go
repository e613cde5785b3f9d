package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Past is the history of one object, or the ledger of one address, the newest last.
type Past struct {
	name, command string
	question      feed.Question
	grid          grid
}

// NewHistory makes the page of an object's history.
func NewHistory(k *model.Kind, key string) *Past {
	return &Past{name: "history of " + key, command: "netctl history " + strings.ToLower(k.Name) + " " + key,
		question: feed.Question{Topic: feed.History, Kind: k.Name, Key: key}}
}

// NewLedger makes the page of an address of a network.
func NewLedger(network, address string) *Past {
	tenant, name, _ := strings.Cut(network, ":")
	return &Past{name: "history of " + address, command: "netctl ip history --tenant " + tenant + " --network " + name + " " + address,
		question: feed.Question{Topic: feed.Ledger, Key: network, Detail: address}}
}

// Name is the crumb.
func (p *Past) Name() string { return p.name }

// Command prints the same.
func (p *Past) Command() string { return p.command }

// Keys move.
func (p *Past) Keys() []theme.Key { return theme.MoveKeys() }

// Questions are the history.
func (p *Past) Questions(*feed.Snapshot) []feed.Question { return []feed.Question{p.question} }

func (p *Past) headers() []string {
	return []string{"Time", "Revision", "By", "Verb", "What"}
}

func (p *Past) rows(c Canvas, value any) []widget.Row {
	var rows []widget.Row
	add := func(at time.Time, revision uint64, by model.Actor, verb, what string) {
		role := theme.Plain
		if verb == "delete" || verb == "release" || verb == "expire" {
			role = theme.Warn
		}
		rows = append(rows, widget.Row{ID: fmt.Sprint(len(rows)), Role: role, Cells: []string{at.UTC().Format(time.DateTime), number(revision), by.String(), verb, what}})
	}
	switch list := value.(type) {
	case []model.HistoryEntry:
		for _, e := range list {
			add(e.Time, e.Revision, e.By, e.Verb, changesOf(e))
		}
	case []model.AddressEntry:
		for _, e := range list {
			add(e.Time, e.Revision, e.By, e.Verb, strings.TrimSpace("from "+e.Was.String()+" to "+e.Now.String()+"  "+e.Why))
		}
	}
	return p.grid.arrange(c, rows)
}

// changesOf is what a change did, in one line.
func changesOf(e model.HistoryEntry) string {
	var parts []string
	for _, x := range e.Changes {
		switch {
		case x.Old == nil:
			parts = append(parts, fmt.Sprintf("%s: %v", x.Field, x.New))
		case x.New == nil:
			parts = append(parts, fmt.Sprintf("%s: was %v", x.Field, x.Old))
		default:
			parts = append(parts, fmt.Sprintf("%s: %v -> %v", x.Field, x.Old, x.New))
		}
	}
	for _, a := range e.Addresses {
		parts = append(parts, a.Verb+" "+a.Address+" for "+a.Now.String())
	}
	if e.Why != "" {
		parts = append(parts, "("+e.Why+")")
	}
	return strings.Join(parts, ", ")
}

// Key moves.
func (p *Past) Key(key string, c Canvas, s *feed.Snapshot) Action {
	p.grid.key(key, c, p.headers(), p.rows(c, s.Answers[p.question].Value))
	return Action{}
}

// View draws the entries.
func (p *Past) View(c Canvas, s *feed.Snapshot) []string {
	a := s.Answers[p.question]
	var out []string
	if line := waiting(c, a, "netmaster"); line != "" {
		out = append(out, line)
	}
	if a.Value == nil {
		return out
	}
	return append(out, p.grid.view(c, p.headers(), p.rows(c, a.Value), c.Height-len(out), "nothing that the history still knows")...)
}
