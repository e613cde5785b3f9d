// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netctl/term"
)

// History makes the page of an object's history, the newest last.
func History(k *model.Kind, key string) *Page {
	q := feed.Question{Topic: feed.History, Kind: k.Name, Key: key}
	return history("history of "+key, "netctl history "+strings.ToLower(k.Name)+" "+key, q, func(s *feed.Snapshot) (out []*entry) {
		list, _, _ := feed.Of[[]model.HistoryEntry](s, q)
		for _, e := range list {
			out = append(out, &entry{e, changesOf(e)})
		}
		return out
	})
}

// addressHistory makes the page of the owners of an address of a network.
func addressHistory(network, address string) *Page {
	q := feed.Question{Topic: feed.AddressHistory, Key: network, Detail: address}
	tenant, name, _ := identity.Cut(network)
	return history("history of "+address, "netctl ip history --tenant "+tenant+" --network "+name+" "+address, q, func(s *feed.Snapshot) (out []*entry) {
		list, _, _ := feed.Of[[]model.AddressEntry](s, q)
		for _, e := range list {
			happened := model.HistoryEntry{Time: e.Time, Revision: e.Revision, By: e.By, Verb: e.Verb}
			out = append(out, &entry{happened, strings.TrimSpace("from " + e.Was.String() + " to " + e.Now.String() + "  " + e.Why)})
		}
		return out
	})
}

// entry is one thing that happened.
type entry struct {
	model.HistoryEntry
	what string
}

func history(name, command string, q feed.Question, entries func(s *feed.Snapshot) []*entry) *Page {
	return &Page{Name: name, Command: command, Asks: asks(q), Body: &list[*entry]{
		headers: columns(model.ViewHistoryOfOne().Headers(true)...),
		above:   answered(q, "netmaster"),
		empty:   func(*feed.Snapshot) string { return "no entries in the history" },
		items:   entries,
		id:      func(e *entry) string { return fmt.Sprint(e.Revision, e.Verb, e.what) },
		row: func(_ Canvas, _ *feed.Snapshot, e *entry) widget.Row {
			role := theme.Plain
			if e.Verb == "delete" || e.Verb == "release" || e.Verb == "expire" {
				role = theme.Warn
			}
			return widget.Row{Role: role, Cells: term.ViewRow(model.ViewHistoryOfOne(), true, &e.HistoryEntry, map[string]string{"What": e.what})}
		},
	}}
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
