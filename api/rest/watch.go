package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
)

// writeTimeout is how long one event may take to leave; a receiver that is slower is cut off and connects again.
const writeTimeout = 10 * time.Second

// watch streams server-sent events (WHATWG HTML, section 9.2): the id of an event is its revision.
func (s *server) watch(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
	kinds, err := kindsOf(q.URL.Query().Get("kinds"))
	if err != nil {
		s.Refuse(w, q, err)
		return
	}
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	for event := range s.backend.Watch(q.Context(), kinds) {
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
