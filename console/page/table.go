// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/netctl/term"
)

// table is the objects of one kind, drawn by the kind's descriptor.
type table[T identified] struct {
	list[T]
	kind   *model.Kind
	items  func(s *feed.Snapshot) []T
	where  func(o object) bool             // nil: all
	pods   func(s *feed.Snapshot) []string // those of endpoints, "namespace/name"; nil: all
	status *status                         // nil: the kind has none
	wide   bool
	marks  []string // keys of objects, in the order in which they were marked
}

// Table makes a page of all objects of a kind.
func Table(k *model.Kind) *Page { return newTable(k, k.Many, k.Listing(), nil) }

// newTable makes a page of those objects of a kind that where accepts; nil accepts all.
func newTable(k *model.Kind, name, command string, where func(o object) bool) *Page {
	if k == model.KindEndpoint() {
		return tableOf(k, name, command, where, func(s *feed.Snapshot) []*feed.Endpoint { return s.Endpoints })
	}
	return tableOf(k, name, command, where, func(s *feed.Snapshot) []model.Object { return s.Objects[k.Name] })
}

func tableOf[T identified](k *model.Kind, name, command string, where func(o object) bool, items func(s *feed.Snapshot) []T) *Page {
	t := &table[T]{kind: k, items: items, where: where, status: statusOf(k)}
	t.list = list[T]{headers: t.names, source: t.version, empty: noneOf(k)}
	t.table.Marked = func(key string) bool { return slices.Contains(t.marks, key) }
	p := &Page{Name: name, Command: command, Live: k.Owner != "", Body: t, Marked: func(s *feed.Snapshot) int { return len(t.marked(s)) }}
	p.Beside = t.beside(func(o T) *Page { return Description(k, keyOf(o)) })
	if t.status != nil {
		p.Asks = t.status.asks
	}
	p.Keys = []Key{
		t.on("enter", "open its page", func(o T) Action { return objectPage(k, keyOf(o)) }).hint("enter", "open"),
		t.on("m", "list what is in it", func(o T) Action {
			if inner := childrenOf(k, keyOf(o)); inner != nil {
				return open(inner)
			}
			return Action{Notice: "nothing is in a " + k.Noun() + "; enter opens its page"}
		}).hint("m", "members"),
		on("space", "mark or unmark the row, and move to the next; d, w and ctrl+d then apply to all marked rows", func(_ string, c Canvas, s *feed.Snapshot) Action {
			t.show(c, s)
			o, ok := t.table.Selected()
			if !ok {
				return Action{}
			}
			if i := slices.Index(t.marks, keyOf(o)); i >= 0 {
				t.marks = slices.Delete(t.marks, i, i+1)
			} else {
				t.marks = append(t.marks, keyOf(o))
			}
			t.table.SelectNext(c.Now)
			return Action{}
		}).hint("space", "mark"),
		on("\\ ctrl+space ctrl+@", "unmark all", func(string, Canvas, *feed.Snapshot) Action { t.marks = nil; return Action{} }),
		on("ctrl+w", "all columns", func(string, Canvas, *feed.Snapshot) Action {
			if t.wide = !t.wide; t.wide && !k.Command.Single {
				p.Command = command + " -o wide"
			} else {
				p.Command = command
			}
			return Action{}
		}),
		t.with("d", "open its page, or one page of all marked objects", func(o T, s *feed.Snapshot) Action {
			return objectPage(k, t.targets(s, o)...)
		}),
		t.on("y", "show the object as YAML", func(o T) Action { return open(YAML(k, keyOf(o))) }).hint("y", "yaml"),
		t.on("H", "its history", func(o T) Action { return open(History(k, keyOf(o))) }).hint("H", "history"),
	}
	if k == model.KindEndpoint() || k == model.KindNetwork() {
		p.Keys = append(p.Keys, t.on("a", "show its addresses on the map", func(o T) Action { return open(viewOf(o, "address")) }))
	}
	if k == model.KindEndpoint() {
		p.Keys = append(p.Keys, t.on("f", "its flows", func(o T) Action { return open(viewOf(o, "flows")) }).hint("f", "flows"),
			t.on("p", "capture its packets", func(o T) Action { return open(viewOf(o, "packets")) }).hint("p", "packets"),
			t.on("x", "open a shell in its container (--write)", func(o T) Action { return Action{Shell: any(o).(*feed.Endpoint)} }).hintWrite("x", "shell"))
	}
	p.Keys = append(p.Keys,
		t.on("t", "show it in the topology", func(o T) Action { return open(Topology(k, keyOf(o))) }),
		t.with("w", "check whether an endpoint, group or service can reach another, and why", t.why).hint("w", "why"),
		t.change("e", "edit it in $EDITOR (--write)", func(o T, _ *feed.Snapshot) Action { return Action{Edit: &Objects{k, []string{keyOf(o)}}} }).hintWrite("e", "edit"),
		t.change("ctrl+d", "delete it (--write), after showing affected objects", func(o T, s *feed.Snapshot) Action {
			return open(Confirm(Change{Objects: Objects{k, t.targets(s, o)}}))
		}).hintWrite("ctrl+d", "delete"))
	return p
}

// Hidden is the number of columns for which the terminal is too narrow.
func (t *table[T]) Hidden() int { return t.table.Hidden() }

func (t *table[T]) names(Canvas) (out []string) {
	t.table.Ranks, t.table.Whole = nil, t.wide
	for _, c := range term.SummarizedColumns(t.kind, t.wide) {
		out = append(out, strings.TrimSpace(c.Header))
		t.table.Ranks = append(t.table.Ranks, int(c.RankOf()))
	}
	if t.status != nil {
		for _, h := range t.status.headers {
			out = append(out, h)
			t.table.Ranks = append(t.table.Ranks, int(model.RankLow))
		}
	}
	return out
}

// tableVersion is what the rows of a table follow from.
type tableVersion struct {
	objects part
	pods    part
	status  *feed.Snapshot // nil: it does not count
	wide    bool
}

func (t *table[T]) version(src *widget.Source[T], _ Canvas, s *feed.Snapshot) {
	src.Size, src.Slow = len(t.items(s)), t.where != nil || t.status != nil
	v := tableVersion{objects: partOf(t.items(s)), wide: t.wide}
	if t.status != nil {
		v.status, src.Size = s, max(src.Size, amount(s, model.KindRule()))
	}
	if hasSummary(t.kind) {
		v.status, src.Slow = s, true
	}
	if t.kind == model.KindEndpointGroup() {
		src.Size = max(src.Size, len(s.Endpoints))
	}
	if t.pods != nil {
		v.pods, src.Slow = partOf(t.pods(s)), true
	}
	src.Version = v
	wide := t.wide
	src.Load = func() widget.Content[T] { return t.content(s, wide) }
}

// summarizedFields returns what gives an object's fields, with those of its summary.
func summarizedFields[T identified](k *model.Kind, s *feed.Snapshot) func(o T) func(name string) any {
	summary := summaries(k, s)
	return func(o T) func(string) any {
		object, ok := any(o).(model.Object)
		if !ok || summary == nil {
			return o.Field
		}
		return (&model.Summarized{Object: object, Summary: summary(object)}).Field
	}
}

func (t *table[T]) content(s *feed.Snapshot, wide bool) widget.Content[T] {
	columns, field := term.SummarizedColumns(t.kind, wide), summarizedFields[T](t.kind, s)
	out := widget.Content[T]{Items: t.items(s), ID: func(o T) string { return keyOf(o) }}
	if t.where != nil {
		out.Items = slices.DeleteFunc(slices.Clone(out.Items), func(o T) bool { return !t.where(o) })
	}
	if t.pods != nil {
		kept := map[string]struct{}{}
		for _, pod := range t.pods(s) {
			kept[pod] = struct{}{}
		}
		out.Items = slices.DeleteFunc(slices.Clone(out.Items), func(o T) bool {
			pod, _ := o.Field("pod").(string)
			_, ok := kept[pod]
			return !ok
		})
	}
	if t.status == nil {
		if !hasSummary(t.kind) {
			out.Fixed = wide
		}
		out.Row = func(o T) widget.Row { return widget.Row{Cells: term.Row(columns, field(o))} }
		return out
	}
	status := t.status.prepare(s)
	out.Row = func(o T) widget.Row {
		cells, role := status(any(o).(model.Object))
		return widget.Row{Cells: append(term.Row(columns, field(o)), cells...), Role: role}
	}
	return out
}

// marked are the keys of the marked objects that are still there, be they filtered out or not.
func (t *table[T]) marked(s *feed.Snapshot) []string {
	if len(t.marks) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.marks), func(key string) bool {
		if t.kind == model.KindEndpoint() {
			return findEndpoint(s, key) == nil
		}
		return find(s, t.kind, key) == nil
	})
}

// targets are the keys of the marked objects, or that of the selected one when none is marked.
func (t *table[T]) targets(s *feed.Snapshot, selected T) []string {
	if marked := t.marked(s); len(marked) > 0 {
		return marked
	}
	return []string{keyOf(selected)}
}

// change wraps a change of objects: it returns the reason if it is not possible.
func (t *table[T]) change(keys, does string, do func(o T, s *feed.Snapshot) Action) Key {
	with := t.with(keys, does, do).do
	return on(keys, does, func(key string, c Canvas, s *feed.Snapshot) Action {
		switch {
		case t.kind.Owner != "":
			return Action{Notice: t.kind.Owned().Error()}
		case t.kind.InspectOnly:
			return Action{Notice: "endpoints belong to their containers and cannot be changed by hand"}
		case !c.Write:
			return Action{Notice: "the console is read-only; start it with --write to make changes"}
		}
		return with(key, c, s)
	})
}

// why asks whether the first marked end reaches the second, the marked one the selected one, or the selected one another that is then
// entered.
func (t *table[T]) why(selected T, s *feed.Snapshot) Action {
	ends := t.targets(s, selected)
	if len(ends) == 1 && ends[0] != keyOf(selected) {
		ends = append(ends, keyOf(selected))
	}
	var names [2]string
	for i, key := range ends {
		name := t.end(s, key)
		switch {
		case name == "":
			return Action{Notice: "why requires containers, groups or services; a " + t.kind.Noun() + " sends nothing"}
		case i > 1:
			return Action{Notice: "mark one or two: the sender and the receiver"}
		}
		names[i] = name
	}
	if t.kind == model.KindServiceLB() { // nothing comes from a service
		if len(ends) > 1 {
			return Action{Notice: "a service can only receive: unmark it, and enter the sender"}
		}
		names[0], names[1] = "", names[0]
	}
	return open(Why(names[0], names[1], ""))
}

// end is an object in the form of an end of a why question; "" if it is none.
func (t *table[T]) end(s *feed.Snapshot, key string) string {
	if t.kind == model.KindEndpoint() {
		return endpointEnd(key)
	}
	switch o := find(s, t.kind, key).(type) {
	case *model.EndpointGroup:
		return groupEnd(o)
	case *model.ServiceLB:
		return serviceEnd(o)
	}
	return ""
}
