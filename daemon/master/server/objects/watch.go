package objects

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/identity"
)

// heartbeat is how often a watch stream says something even when nothing changes.
const heartbeat = 5 * time.Second

// Watch yields everything of the kinds and then each change. States between may be missed, the last never is.
func (o *Objects) Watch(ctx context.Context, kinds []*model.Kind) iter.Seq[model.Event] {
	return func(yield func(model.Event) bool) {
		wanted := map[string]*model.Kind{}
		sub := o.Catalog.Subscribe()
		defer sub.Close()
		var events []model.Event
		o.Catalog.View(func(v *catalog.View) {
			for _, k := range kinds {
				wanted[k.Name] = k
				events = append(events, o.full(v, k))
			}
			events = append(events, model.Event{Type: model.EventSync, Revision: uint64(v.Revision())})
		})
		for _, e := range events {
			if !yield(e) {
				return
			}
		}
		for dirty := range sub.Changes(ctx, heartbeat) {
			events = events[:0]
			o.Catalog.View(func(v *catalog.View) {
				for ref := range dirty {
					if k := wanted[ref.Kind]; k != nil {
						events = append(events, o.change(v, k, ref.Key))
					}
				}
				events = append(events, model.Event{Type: model.EventSync, Revision: uint64(v.Revision())})
			})
			for _, e := range events {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// full is everything of one kind.
func (o *Objects) full(v *catalog.View, k *model.Kind) model.Event {
	e := model.Event{Type: model.EventFull, Kind: k.Name, Items: []json.RawMessage{}, Revision: uint64(v.Revision())}
	if k.InspectOnly {
		for m := range v.Members {
			text, err := oper.Text(m)
			if err != nil {
				o.Log.Error("encode endpoints for the watch stream", "error", err)
				continue
			}
			e.Items = append(e.Items, text)
		}
		return e
	}
	items, err := v.Texts(k)
	if err != nil {
		o.Log.Error("encode objects for the watch stream", "error", err)
		return e
	}
	e.Items = items
	return e
}

// change is the present state of one object.
func (o *Objects) change(v *catalog.View, k *model.Kind, key string) model.Event {
	e := model.Event{Type: model.EventDelete, Kind: k.Name, Key: key, Revision: uint64(v.Revision())}
	if k.InspectOnly {
		id, _ := identity.ParseEndpoint(key)
		if m := v.Member(id); m != nil {
			text, err := oper.Text(m)
			if err != nil {
				o.Log.Error("encode an endpoint for the watch stream", "error", err)
				return e
			}
			e.Type, e.Object = model.EventPut, text
		}
		return e
	}
	text, err := v.Text(k, key)
	if err != nil {
		o.Log.Error("encode an object for the watch stream", "error", err)
	}
	if text != nil {
		e.Type, e.Object = model.EventPut, text
	}
	return e
}
