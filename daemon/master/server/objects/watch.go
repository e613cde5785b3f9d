// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
)

// heartbeat is the interval in which a watch stream sends something even if nothing changes.
const heartbeat = 5 * time.Second

// Watch yields everything of the kinds and then each change. States between may be missed, the last never is.
func (o *Objects) Watch(ctx context.Context, of []rest.Watched) iter.Seq[model.Event] {
	return func(yield func(model.Event) bool) {
		wanted := map[string]*watched{}
		sub := o.Catalog.Subscribe()
		defer sub.Close()
		var events []model.Event
		o.Catalog.View(func(v *catalog.View) {
			for _, w := range of {
				k := &watched{Watched: w, sees: visibility(ctx, w.Kind)}
				if !w.Selector.All() {
					k.sent = map[string]struct{}{}
				}
				wanted[w.Kind.Name] = k
				events = append(events, o.full(v, k))
			}
			events = append(events, model.Event{Type: model.EventSync, Revision: uint64(v.Revision())})
		})
		for n := range events {
			if !yield(events[n]) {
				return
			}
			events[n].Items = nil // as many as there are objects, which are not needed for as long as the stream is open
		}
		who := auth.Of(ctx)
		for dirty := range sub.Changes(ctx, heartbeat) {
			if !who.Anyone && (catalog.Regranted(dirty) || who.Valid != nil && !who.Valid()) {
				return // a client that watches again is authenticated again, and its rights are checked
			}
			events = events[:0]
			o.Catalog.View(func(v *catalog.View) {
				for ref := range dirty {
					if k := wanted[ref.Kind]; k != nil {
						events = o.change(events, v, k, ref.Key)
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

// watched is a kind whose changes a stream reports.
type watched struct {
	rest.Watched
	sees func(key string) bool // whether the receiver may see one; nil: all
	sent map[string]struct{}   // keys of objects that were sent and not deleted since; nil if all are selected
}

// full is everything of one kind.
func (o *Objects) full(v *catalog.View, k *watched) model.Event {
	e := model.Event{Type: model.EventFull, Kind: k.Kind.Name, Items: []json.RawMessage{}, Revision: uint64(v.Revision())}
	for i := range itemsAfter(v, k.Kind, "") {
		if k.sees != nil && !k.sees(i.id()) || !i.selected(&k.Selector) {
			continue
		}
		text, err := i.text()
		if err != nil {
			o.Log.Error("encode an object for the watch stream", "error", err)
			continue
		}
		e.Items = append(e.Items, text)
		if k.sent != nil {
			k.sent[i.id()] = struct{}{}
		}
	}
	return e
}

// change adds the present state of one object to events. It adds nothing of an object that is not selected and was not before.
func (o *Objects) change(events []model.Event, v *catalog.View, k *watched, key string) []model.Event {
	if k.sees != nil && !k.sees(key) {
		return events
	}
	e := model.Event{Type: model.EventDelete, Kind: k.Kind.Name, Key: key, Revision: uint64(v.Revision())}
	i, there := itemOf(v, k.Kind, key)
	if there && i.selected(&k.Selector) {
		text, err := i.text()
		if err != nil {
			o.Log.Error("encode an object for the watch stream", "error", err)
			return events
		}
		e.Type, e.Object = model.EventPut, text
	}
	if k.sent != nil {
		_, was := k.sent[key]
		if e.Type == model.EventPut {
			k.sent[key] = struct{}{}
		} else if delete(k.sent, key); !was {
			return events
		}
	}
	return append(events, e)
}
