// SPDX-License-Identifier: Apache-2.0

package page

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/netctl/term"
)

func flowsEntry() Entry {
	return Entry{Name: "flows", Short: "flows", Aliases: []string{"flow"}, About: "flow tables of each host", Make: flowHosts, Open: openFlows, Offer: offerFlows}
}

// openFlows opens HOST[/TABLE][:VIEW].
func openFlows(path []string, view string) *Page {
	switch {
	case len(path) == 1 && view == "":
		return FlowTables(path[0])
	case len(path) == 1:
		return flowList(path[0], "", view)
	case len(path) == 2:
		return flowList(path[0], path[1], view)
	}
	return nil
}

func offerFlows(s *feed.Snapshot, _ string, add func(string)) {
	for _, n := range agents(s) {
		add("/" + n.Name)
		for _, v := range flowViews() {
			add("/" + n.Name + ":" + v.name)
		}
		flows, _, _ := feed.Of[[]model.Flow](s, feed.Question{Topic: feed.Flows, Host: n.Name})
		for _, t := range flowTables(flows) {
			if t.name != "" {
				add("/" + n.Name + "/" + t.name)
			}
		}
	}
}

// flowHosts makes the page of the hosts whose switches can be inspected.
func flowHosts() *Page {
	l := &list[*model.Node]{
		headers: columns(model.ViewFlowHosts().Headers(true)...),
		empty:   noNodes("no agents registered"),
		items:   agents,
		id:      nodeName,
		row: func(c Canvas, s *feed.Snapshot, n *model.Node) widget.Row {
			state, role := stateOf(c, s, n)
			return widget.Row{Role: role, Cells: term.ViewRow(model.ViewFlowHosts(), true, n, map[string]string{"State": state})}
		},
	}
	return &Page{Name: "flows", Live: true, Command: "netctl node ls", Body: l,
		Keys: []Key{l.on("enter", "show the flow tables of the host", func(n *model.Node) Action { return open(FlowTables(n.Name)) }).hint("enter", "tables")}}
}
