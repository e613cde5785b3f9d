package page

import (
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/netctl/term"
)

// listing is a kind's objects as rows, which are made when they are shown.
type listing struct {
	endpoints *widget.Roll[*model.EndpointOper] // nil: another kind
	objects   *widget.Roll[model.Object]
	fared     *widget.Roll[*fare] // of a kind with extra columns; nil: it has none
	fares     fares
}

// newListing makes the listing of those objects of a kind whose fields where accepts; nil accepts all. x is the kind's
// extra columns, if it has some.
func newListing(k *model.Kind, x *extra, where func(field func(string) any) bool) *listing {
	narrow, wide := term.Columns(k, false), term.Columns(k, true)
	cells := func(field func(string) any, all bool) []string {
		if all {
			return term.Row(wide, field)
		}
		return term.Row(narrow, field)
	}
	if k == model.KindEndpoint() {
		items := widget.Items[*model.EndpointOper]{
			Compare: feed.CompareEndpoints,
			Row: func(e *model.EndpointOper, wide bool) widget.Row {
				return widget.Row{ID: endpointID(e), Cells: cells(e.Field, wide)}
			},
			Locate: locateEndpoint,
		}
		if where != nil {
			items.Keep = func(e *model.EndpointOper) bool { return where(e.Field) }
		}
		return &listing{endpoints: widget.NewRoll(items)}
	}
	if x != nil {
		items := widget.Items[*fare]{
			Compare: func(a, b *fare) int { return strings.Compare(a.object.ObjectKey(), b.object.ObjectKey()) },
			Row: func(f *fare, wide bool) widget.Row {
				return widget.Row{ID: f.object.ObjectKey(), Cells: slices.Concat(cells(f.object.Field, wide), f.cells), Role: f.role}
			},
			Locate: func(f *fare, id string) int { return strings.Compare(f.object.ObjectKey(), id) },
		}
		if where != nil {
			items.Keep = func(f *fare) bool { return where(f.object.Field) }
		}
		return &listing{fared: widget.NewRoll(items), fares: fares{kind: k, extra: x}}
	}
	items := widget.Items[model.Object]{
		Compare: func(a, b model.Object) int { return strings.Compare(a.ObjectKey(), b.ObjectKey()) },
		Row: func(o model.Object, wide bool) widget.Row {
			return widget.Row{ID: o.ObjectKey(), Cells: cells(o.Field, wide)}
		},
		Locate: func(o model.Object, id string) int { return strings.Compare(o.ObjectKey(), id) },
	}
	if where != nil {
		items.Keep = func(o model.Object) bool { return where(o.Field) }
	}
	return &listing{objects: widget.NewRoll(items)}
}

// rows arranges the kind's objects of a snapshot. working is what is still being done; see widget.Roll.
func (l *listing) rows(c Canvas, k *model.Kind, s *feed.Snapshot, w widget.Wish, held bool) (rows widget.Rows, working string) {
	if l.endpoints != nil {
		return l.endpoints, l.endpoints.Arrange(s.Endpoints, w, held, c.Desk)
	}
	if l.fared != nil {
		return l.fared, l.fared.Arrange(l.fares.of(c, s), w, held, c.Desk)
	}
	return l.objects, l.objects.Arrange(s.Objects[k.Name], w, held, c.Desk)
}

// endpointID is what a table of endpoints calls one.
func endpointID(e *model.EndpointOper) string { return e.Network + "/" + e.EndpointID }

// locateEndpoint is how an endpoint stands to the one that has an endpointID, in the order of snapshots.
func locateEndpoint(e *model.EndpointOper, id string) int {
	network, endpoint, _ := strings.Cut(id, "/")
	if c := strings.Compare(e.Network, network); c != 0 {
		return c
	}
	return strings.Compare(e.EndpointID, endpoint)
}

// findEndpoint finds an endpoint by its endpointID; nil: there is none.
func findEndpoint(s *feed.Snapshot, id string) *model.EndpointOper {
	if i, ok := slices.BinarySearchFunc(s.Endpoints, id, locateEndpoint); ok {
		return s.Endpoints[i]
	}
	return nil
}
