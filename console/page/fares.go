package page

import (
	"context"
	"reflect"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// fare is an object, and how it fares: cells of extra columns. One that fares otherwise is another.
type fare struct {
	object model.Object
	cells  []string
	role   theme.Role
}

// fares are the objects of a kind with how they fare, ordered by key. Of many objects that is found out at the desk; until
// then they fare as they did.
type fares struct {
	kind  *model.Kind
	extra *extra
	from  *feed.Snapshot // of list; nil: there is none yet
	list  []*fare
	doing *widget.Task[[]*fare]
	next  *feed.Snapshot // of doing
}

// fewFares are found out at once: objects, and rules, by which policies and groups fare.
const fewFares = 300

// of is how the objects of a snapshot fare, as far as that is known.
func (f *fares) of(c Canvas, s *feed.Snapshot) []*fare {
	f.fetch()
	switch {
	case f.doing != nil:
	case f.from != nil && !f.news(s):
		f.from = s
	default:
		desk, was := c.Desk, f.list
		if f.from == nil || max(len(s.Objects[f.kind.Name]), len(s.Objects[model.KindRule().Name])) <= fewFares {
			desk = nil
		}
		f.next, f.doing = s, widget.Do(desk, func(context.Context) []*fare { return f.extra.fares(s, s.Objects[f.kind.Name], was) })
		f.fetch()
	}
	return f.list
}

// fetch takes what was found out.
func (f *fares) fetch() {
	if f.doing == nil {
		return
	}
	if list, done := f.doing.Result(); done {
		f.list, f.from, f.doing = list, f.next, nil
	}
}

// news tells whether a snapshot says anything else of the objects than the one before.
func (f *fares) news(s *feed.Snapshot) bool {
	for _, k := range []*model.Kind{f.kind, model.KindRule(), model.KindEndpointGroup()} {
		if !same(f.from.Objects[k.Name], s.Objects[k.Name]) {
			return true
		}
	}
	// A snapshot shares its answers with the one before when none came, and its nodes when they are the same.
	return reflect.ValueOf(f.from.Answers).Pointer() != reflect.ValueOf(s.Answers).Pointer() || !same(f.from.Nodes, s.Nodes)
}

// fares are how objects fare. What fares as it did is what it was; both lists are ordered by key.
func (x *extra) fares(s *feed.Snapshot, objects []model.Object, was []*fare) []*fare {
	look := x.prepare(s)
	out := make([]*fare, len(objects))
	for i, o := range objects {
		cells, role := look(o)
		for len(was) > 0 && was[0].object != o && was[0].object.ObjectKey() < o.ObjectKey() {
			was = was[1:]
		}
		if len(was) > 0 && was[0].object == o && was[0].role == role && slices.Equal(was[0].cells, cells) {
			out[i] = was[0]
			continue
		}
		out[i] = &fare{o, cells, role}
	}
	return out
}
