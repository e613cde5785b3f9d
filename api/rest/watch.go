// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/selector"
)

// writeTimeout is the maximum time to send one event; a slower receiver is disconnected and connects again.
const writeTimeout = 10 * time.Second

// watch streams server-sent events (WHATWG HTML, section 9.2): the id of an event is its revision.
func (s *server) watch(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
	of, portion, err := watchOf(q.URL.Query())
	if err != nil {
		s.Refuse(w, q, err)
		return
	}
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	for event := range portions(s.backend.Watch(q.Context(), of), portion) {
		data, err := json.Marshal(event)
		if err != nil {
			s.log.Error("watch: encode an event", "kind", event.Kind, "key", event.Key, "error", err)
			return
		}
		_ = out.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", event.Revision, event.Type, data); err != nil {
			return
		}
		if event.Type == model.EventSync {
			if err := out.Flush(); err != nil {
				return
			}
		}
	}
}

// watchOf parses the parameters of a watch: the kinds, and the maximum number of objects in an event; 0: any number. Errors are
// *model.Error.
func watchOf(values url.Values) (of []Watched, portion int, err error) {
	kinds, err := kindsOf(values.Get("kinds"))
	if err != nil {
		return nil, 0, err
	}
	for _, k := range kinds {
		s, err := selector.Parse(k, values.Get(selector.Fields), values.Get(selector.Labels))
		if err != nil {
			return nil, 0, err
		}
		of = append(of, Watched{k, s})
	}
	portion, err = limitOf(values)
	return of, portion, err
}

// portions yields events, and splits those with more items than the maximum, so that neither side has all of a kind in memory at once; 0:
// unchanged.
func portions(events iter.Seq[model.Event], most int) iter.Seq[model.Event] {
	if most == 0 {
		return events
	}
	return func(yield func(model.Event) bool) {
		for event := range events {
			for len(event.Items) > most {
				part := event
				part.Items = event.Items[:most]
				if !yield(part) {
					return
				}
				event.Type, event.Items = model.EventMore, event.Items[most:]
			}
			if !yield(event) {
				return
			}
		}
	}
}

// kindsOf reads a comma list of kinds; an empty one means all.
func kindsOf(list string) ([]*model.Kind, error) {
	if list == "" {
		return model.Kinds(), nil
	}
	var kinds []*model.Kind
	for name := range strings.SplitSeq(list, ",") {
		k, ok := model.KindOf(strings.TrimSpace(name))
		if !ok {
			var known []string
			for _, k := range model.Kinds() {
				known = append(known, k.Name)
			}
			return nil, model.Errorf(model.CodeInvalid, "kinds", "kind %q is unknown", name).Try("kinds takes a comma list of %s", strings.Join(known, ", "))
		}
		kinds = append(kinds, k)
	}
	return kinds, nil
}
