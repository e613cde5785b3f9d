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

// kinds are the resources that the server has, and what their objects are called.
func kinds() map[string]string {
	return map[string]string{"namespaces": "Namespace", "nodes": "Node", "pods": "Pod", "services": "Service", "endpointslices": "EndpointSlice",
		"networkpolicies": "NetworkPolicy", "clusternetworkpolicies": "ClusterNetworkPolicy"}
}

// ServeHTTP answers lists and watches of resources in all namespaces, and patches of the status of services.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	resource := path.Base(q.URL.Path)
	if q.Method == http.MethodPatch {
		s.patch(w, q)
		return
	}
	kind, known := kinds()[resource]
	s.mu.Lock()
	_, hidden := s.hidden[resource]
	away := s.away
	s.mu.Unlock()
	switch {
	case away:
		panic(http.ErrAbortHandler)
	case !known || hidden:
		refuse(w, http.StatusNotFound, "NotFound")
	case q.URL.Query().Get("sendInitialEvents") != "":
		refuse(w, http.StatusUnprocessableEntity, "Invalid") // as servers do that have no streaming lists
	case q.URL.Query().Get("watch") != "":
		s.watch(w, q, resource)
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
		items = append(items, s.objects[resource][key].text)
	}
	all := map[string]any{"kind": kind + "List", "apiVersion": version, "metadata": map[string]string{"resourceVersion": strconv.Itoa(s.version)}, "items": items}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all)
}

func (s *Server) watch(w http.ResponseWriter, q *http.Request, resource string) {
	after, err := strconv.Atoi(q.URL.Query().Get("resourceVersion"))
	if err != nil {
		refuse(w, http.StatusBadRequest, "BadRequest")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for {
		s.mu.Lock()
		moved, old, away := s.moved, after < s.oldest, s.away
		_, hidden := s.hidden[resource]
		var due []event
		for _, e := range s.events {
			if e.resource == resource && e.version > after {
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
			_, _ = fmt.Fprint(w, `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old"}}`)
			return
		}
		for _, e := range due {
			_ = json.NewEncoder(w).Encode(map[string]any{"type": e.happened, "object": e.text})
			after = e.version
		}
		w.(http.Flusher).Flush()
		select {
		case <-q.Context().Done():
			return
		case <-moved:
		}
	}
}
