// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
)

// kinds are the resources of the server, with the names of their kinds.
func kinds() map[string]string {
	return map[string]string{"namespaces": "Namespace", "nodes": "Node", "pods": "Pod", "services": "Service", "endpointslices": "EndpointSlice",
		"networkpolicies": "NetworkPolicy", "clusternetworkpolicies": "ClusterNetworkPolicy"}
}

// ServeHTTP answers lists and watches of resources in all namespaces, patches of the status of services, reviews of tokens, and requests for
// ConfigMaps.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	resource := path.Base(q.URL.Path)
	s.thaw(q.Context())
	if s.namespaced(w, q) {
		return
	}
	if q.Method == http.MethodPatch {
		s.patch(w, q)
		return
	}
	if resource == "tokenreviews" && q.Method == http.MethodPost {
		s.review(w, q)
		return
	}
	if resource == "subjectaccessreviews" && q.Method == http.MethodPost {
		s.access(w, q)
		return
	}
	kind, known := kinds()[resource]
	s.mu.Lock()
	hidden := s.hides(q.URL.Path)
	refused, away, streams := s.hidden[resource], s.away, s.streams
	s.mu.Unlock()
	whole := q.URL.Query().Get("sendInitialEvents") != ""
	switch {
	case away:
		panic(http.ErrAbortHandler)
	case s.discover(w, q.URL.Path):
	case refused:
		refuse(w, http.StatusForbidden, "Forbidden")
	case !known || hidden:
		refuse(w, http.StatusNotFound, "NotFound")
	case whole && !streams:
		refuse(w, http.StatusUnprocessableEntity, "Invalid") // as servers without streaming lists do
	case whole:
		s.stream(w, q, resource)
	case q.URL.Query().Get("watch") != "":
		after, err := strconv.Atoi(q.URL.Query().Get("resourceVersion"))
		if err != nil {
			refuse(w, http.StatusBadRequest, "BadRequest")
			return
		}
		s.watch(newFrames(w, q, streams, resource), q, resource, after)
	default:
		s.list(w, resource, kind, path.Dir(q.URL.Path))
	}
}

func refuse(w http.ResponseWriter, code int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":%q}`, reason, code, reason)
}

func (s *Server) list(w http.ResponseWriter, resource, kind, at string) {
	version := path.Base(at)
	if group := path.Base(path.Dir(at)); group != "api" {
		version = group + "/" + version
	}
	s.mu.Lock()
	s.served++
	items := []json.RawMessage{}
	for _, key := range slices.Sorted(maps.Keys(s.objects[resource])) {
		items = append(items, converted(s.objects[resource][key].text, at))
	}
	all := map[string]any{"kind": kind + "List", "apiVersion": version, "metadata": map[string]string{"resourceVersion": strconv.Itoa(s.version)}, "items": items}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all)
}

func (s *Server) watch(to *frames, q *http.Request, resource string, after int) {
	for {
		s.mu.Lock()
		moved, old, away := s.moved, after < s.oldest, s.away
		hidden := s.hides(q.URL.Path)
		var due []event
		for _, e := range s.events {
			if e.resource == resource && e.version > after && s.held != resource {
				due = append(due, e)
			}
		}
		s.mu.Unlock()
		switch {
		case away:
			panic(http.ErrAbortHandler)
		case hidden:
			return
		case old:
			to.expired()
			return
		}
		for _, e := range due {
			it := e.stored
			it.text = converted(it.text, path.Dir(q.URL.Path))
			to.send(e.happened, &it)
			after = e.version
		}
		to.flush()
		select {
		case <-q.Context().Done():
			return
		case <-moved:
		}
	}
}
