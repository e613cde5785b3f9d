package page

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// Marked is how many rows are marked that are still there, be they filtered out or not.
func (p *Table) Marked(s *feed.Snapshot) int {
	return len(p.marked(s))
}

// meant are the IDs of the marked rows, or of the selected one when none is marked.
func (p *Table) meant(selected string, s *feed.Snapshot) []string {
	if all := p.marked(s); len(all) > 0 {
		return all
	}
	return []string{selected}
}

// marked are the IDs of the marked rows that are still there.
func (p *Table) marked(s *feed.Snapshot) []string {
	return p.marks.those(func(id string) bool {
		if p.kind == model.KindEndpoint() {
			return findEndpoint(s, id) != nil
		}
		return find(s, p.kind, id) != nil
	})
}

// why asks whether the first marked end reaches the second, the marked one the selected one, or the selected one what is
// then asked for.
func (p *Table) why(selected string, s *feed.Snapshot) Action {
	ends := p.meant(selected, s)
	if len(ends) == 1 && ends[0] != selected {
		ends = append(ends, selected)
	}
	var names [2]string
	for i, id := range ends {
		name := p.end(id, s)
		switch {
		case name == "":
			return Action{Notice: "why is asked of containers, groups and services; a " + p.kind.Name + " sends nothing"}
		case i > 1:
			return Action{Notice: "mark one or two: who sends, and who receives"}
		}
		names[i] = name
	}
	if p.kind == model.KindServiceLB() { // nothing comes from a service
		if len(ends) > 1 {
			return Action{Notice: "a service only receives: mark none, and name the sender"}
		}
		names[0], names[1] = "", names[0]
	}
	return Action{Go: NewWhy(names[0], names[1], "")}
}

// end is an object as an end of a way; "" when it is none.
func (p *Table) end(id string, s *feed.Snapshot) string {
	if p.kind == model.KindEndpoint() {
		if e := findEndpoint(s, id); e != nil {
			return endpointEnd(e)
		}
		return ""
	}
	switch o := find(s, p.kind, id).(type) {
	case *model.EndpointGroup:
		return groupEnd(o)
	case *model.ServiceLB:
		return serviceEnd(o)
	}
	return ""
}
