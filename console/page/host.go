// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/netctl/term"
)

// difference is something on a host that is, or was, not as it should be.
type difference struct {
	when string
	role theme.Role
	model.Difference
}

// Host makes the page of the problems of one host: its agent's report, and the drift of its switch.
func Host(host string) *Page {
	q := feed.Question{Topic: feed.Drift, Host: host}
	p := &Page{Name: "host " + host, Live: true, Command: "netctl drift " + host, Asks: asks(q)}
	l := &list[*difference]{
		headers: columns(model.ViewDriftOfHost().Headers(true)...),
		empty:   func(*feed.Snapshot) string { return "no differences since its agent started" },
		above: func(c Canvas, s *feed.Snapshot) ([]string, bool) {
			out := append(hostLines(c, s, host), "", c.Theme.Paint(theme.Title, "DRIFT of its switch, now and earlier"))
			state, ready := answered(q, host)(c, s)
			return append(out, state...), ready
		},
		items: func(s *feed.Snapshot) []*difference {
			d, _, _ := feed.Of[model.Drift](s, q)
			return differences(s, &d)
		},
		id: func(d *difference) string { return d.At + d.Owner + d.Text() },
		row: func(_ Canvas, _ *feed.Snapshot, d *difference) widget.Row {
			return widget.Row{Role: d.role, Cells: term.ViewRow(model.ViewDriftOfHost(), true, &d.Difference, map[string]string{"When": d.when})}
		},
	}
	p.Body, p.Keys = l, []Key{
		l.on("enter", "show the difference in full", func(d *difference) Action {
			owner := cmp.Or(d.Owner, "none")
			return open(Text(owner, p.Command, d.Kind+" of "+owner+", "+d.when+"\n\n"+d.Text()))
		}).hint("enter", "details"),
		on("l", "show the last log lines of the host's agent", func(string, Canvas, *feed.Snapshot) Action { return open(Logs(host, model.LogNetplugin)) }).hint("l", "logs"),
		on("f", "show the flows of the host", func(string, Canvas, *feed.Snapshot) Action { return open(FlowTables(host)) }).hint("f", "flows"),
	}
	return p
}

// differences are what differs now, and then what did, the newest first.
func differences(s *feed.Snapshot, d *model.Drift) (out []*difference) {
	for _, x := range d.Now {
		out = append(out, &difference{"now", theme.Bad, x})
	}
	for _, x := range slices.Backward(d.Found) {
		out = append(out, &difference{since(x.At, s.Received) + " ago", theme.Dim, x})
	}
	return out
}

// hostLines is the report of a host's agent.
func hostLines(c Canvas, s *feed.Snapshot, host string) (out []string) {
	t := c.Theme
	hosts := agents(s)
	at := slices.IndexFunc(hosts, func(n *model.Node) bool { return n.Name == host })
	if at < 0 {
		return []string{t.Paint(theme.Dim, nothing(s, s.Nodes != nil, "no host "+host+" is registered or has endpoints"))}
	}
	n := hosts[at]
	state, role := stateOf(c, s, n)
	trouble := n.Docker.Problem()
	if trouble != "" { // shown in its own lines
		state = strings.Replace(state, trouble, "Docker, see below", 1)
	}
	out = append(out, t.Paint(role, state))
	view := model.ViewHosts()
	for i, cell := range term.ViewRow(view, true, n, nil) {
		if i > 0 && view[i].Value != nil { // the first is the name of the page
			out = append(out, "  "+widget.Fit(t, view[i].Header, 11)+cell)
		}
	}
	for _, u := range n.Uplinks {
		out = append(out, "  "+widget.Fit(t, "uplink", 11)+widget.Bare(u.String()))
	}
	out = append(out, dockerLines(c, n)...)
	if n.Reason != "" && n.Reason != trouble {
		out = append(out, widget.Wrap("  "+n.Reason, c.Width, 2)...)
	}
	return out
}

// dockerLines describes the Docker engine of a host: none if it is not used.
func dockerLines(c Canvas, n *model.Node) (out []string) {
	if n.Docker == nil {
		return nil
	}
	out = widget.Wrap("  "+widget.Fit(c.Theme, "Docker", 11)+widget.Bare(n.Docker.String()), c.Width, 13)
	seen := ""
	if !n.Docker.Here {
		seen = ", as last seen"
	}
	for i := range n.Docker.Problems {
		out = append(out, widget.Wrap("  "+widget.Fit(c.Theme, "", 11)+"network "+widget.Bare(n.Docker.Problems[i].Network+": "+n.Docker.Problems[i].Problem)+seen, c.Width, 13)...)
	}
	return out
}
