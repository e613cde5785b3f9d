// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// Types of events outside of the watch stream: changes of the nodes' reports.
const (
	Warned     model.EventType = "warn"
	NodeEvents model.EventType = "note"
)

// NodeKind is the Kind of events about masters and agents.
const NodeKind = "node"

// nodeEvents returns the changes of the nodes since the last answer.
func nodeEvents(before, now []model.Node) []Event {
	old := make(map[string]*model.Node, len(before))
	for i := range before {
		old[before[i].Address+before[i].Name] = &before[i]
	}
	var out []Event
	tell := func(t model.EventType, n *model.Node, text string) {
		out = append(out, Event{Type: t, Kind: NodeKind, Key: n.Name, Text: text, Revision: n.Revision})
	}
	for i := range now {
		n := &now[i]
		was := old[n.Address+n.Name]
		delete(old, n.Address+n.Name)
		if was == nil {
			tell(NodeEvents, n, "has come")
			continue
		}
		switch {
		case was.Ready && !n.Ready:
			tell(Warned, n, "is not ready: "+n.Reason)
		case !was.Ready && n.Ready:
			tell(NodeEvents, n, "is ready again")
		}
		if n.Role == model.RoleLeader && was.Role != model.RoleLeader {
			tell(NodeEvents, n, "leads now")
		}
		switch had, has := was.Kubernetes.Problem(), n.Kubernetes.Problem(); {
		case has != "" && had == "":
			tell(Warned, n, has)
		case has == "" && had != "" && n.Kubernetes != nil:
			tell(NodeEvents, n, "Kubernetes is "+n.Kubernetes.String())
		}
		switch {
		case n.Errors > was.Errors:
			tell(Warned, n, "has "+strconv.Itoa(n.Errors)+" objects with problems: "+n.Reason)
		case n.Errors == 0 && was.Errors > 0 && n.Answered():
			tell(NodeEvents, n, "no longer has objects with problems")
		}
	}
	for i := range before { // in their order
		if n := old[before[i].Address+before[i].Name]; n != nil {
			tell(Warned, n, "has disappeared: its registration has expired")
		}
	}
	return out
}
