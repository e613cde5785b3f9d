// SPDX-License-Identifier: Apache-2.0

package page

import (
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

func kindsEntry() Entry {
	return Entry{Name: "tables", Short: "kinds", Aliases: []string{"kinds", "all"}, About: "kinds of objects", Make: kinds}
}

// kinds makes the page of the kinds of objects, with how many there are.
func kinds() *Page {
	l := &list[*model.Kind]{
		headers: columns("Kind", "Objects", "Description", "Command"),
		empty:   empty("none"),
		items:   func(*feed.Snapshot) []*model.Kind { return model.UserKinds() },
		id:      func(k *model.Kind) string { return k.Name },
		row: func(_ Canvas, s *feed.Snapshot, k *model.Kind) widget.Row {
			n, role := amount(s, k), theme.Plain
			if n == 0 {
				role = theme.Dim
			}
			text := strconv.Itoa(n)
			if !s.Synced {
				text = "?"
			}
			return widget.Row{Role: role, Cells: []string{k.Many, text, k.Summary(), k.Listing()}}
		},
	}
	return &Page{Name: "tables", Command: "netctl explain", Body: l,
		Keys: []Key{l.on("enter", "show the objects of the kind", func(k *model.Kind) Action { return open(Table(k)) }).hint("enter", "objects")}}
}
