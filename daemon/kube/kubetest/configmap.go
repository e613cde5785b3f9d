// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// ConfigMap returns the data of a ConfigMap of the server, or nil.
func (s *Server) ConfigMap(namespace, name string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.objects["configmaps"][namespace+"/"+name]
	m := &corev1.ConfigMap{}
	if !ok || json.Unmarshal(it.text, m) != nil {
		return nil
	}
	return m.Data
}

// namespaced serves ConfigMaps at /api/v1/namespaces/NAMESPACE/configmaps, and lists of the pods of a namespace. It reports false for another
// path.
func (s *Server) namespaced(w http.ResponseWriter, q *http.Request) bool {
	words := strings.Split(strings.Trim(q.URL.Path, "/"), "/")
	if len(words) < 5 || words[2] != "namespaces" || words[4] != "configmaps" && (words[4] != "pods" || len(words) != 5) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.away:
		panic(http.ErrAbortHandler)
	case s.forbidden:
		refuse(w, http.StatusForbidden, "Forbidden")
	case words[4] == "pods" && q.Method == http.MethodGet:
		s.podsOf(w, words[3], q.URL.Query().Get("labelSelector"))
	case len(words) == 5 && q.Method == http.MethodPost:
		s.createMap(w, q, words[3])
	case len(words) == 6 && (q.Method == http.MethodGet || q.Method == http.MethodPatch):
		s.oneMap(w, q, words[3]+"/"+words[5])
	default:
		refuse(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
	return true
}

// podsOf lists the pods of a namespace that a selector matches. The caller holds the lock.
func (s *Server) podsOf(w http.ResponseWriter, namespace, selector string) {
	match, err := labels.Parse(selector)
	if err != nil {
		refuse(w, http.StatusBadRequest, "BadRequest")
		return
	}
	out := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
	for _, it := range s.objects["pods"] {
		var p corev1.Pod
		if json.Unmarshal(it.text, &p) == nil && p.Namespace == namespace && match.Matches(labels.Set(p.Labels)) {
			out.Items = append(out.Items, p)
		}
	}
	slices.SortFunc(out.Items, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	answer(w, out)
}

// createMap creates a ConfigMap. The caller holds the lock.
func (s *Server) createMap(w http.ResponseWriter, q *http.Request, namespace string) {
	m := &corev1.ConfigMap{}
	if err := json.NewDecoder(q.Body).Decode(m); err != nil || m.Name == "" || m.Namespace != namespace {
		refuse(w, http.StatusBadRequest, "BadRequest")
		return
	}
	if _, ok := s.objects["configmaps"][namespace+"/"+m.Name]; ok {
		refuse(w, http.StatusConflict, "AlreadyExists")
		return
	}
	s.putMap(w, m)
}

// oneMap reads a ConfigMap, or merges a patch of its data. The caller holds the lock.
func (s *Server) oneMap(w http.ResponseWriter, q *http.Request, key string) {
	it, ok := s.objects["configmaps"][key]
	m := &corev1.ConfigMap{}
	if !ok || json.Unmarshal(it.text, m) != nil {
		refuse(w, http.StatusNotFound, "NotFound")
		return
	}
	if q.Method == http.MethodGet {
		answer(w, m)
		return
	}
	var p struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
		Data map[string]*string `json:"data"`
	}
	strict := json.NewDecoder(q.Body)
	strict.DisallowUnknownFields()
	if err := strict.Decode(&p); err != nil || types.PatchType(q.Header.Get("Content-Type")) != types.MergePatchType {
		refuse(w, http.StatusBadRequest, "BadRequest")
		return
	}
	if v := p.Metadata.ResourceVersion; v != "" && v != m.ResourceVersion {
		refuse(w, http.StatusConflict, "Conflict")
		return
	}
	for k, v := range p.Data {
		if v == nil {
			delete(m.Data, k)
			continue
		}
		if m.Data == nil {
			m.Data = map[string]string{}
		}
		m.Data[k] = *v
	}
	s.putMap(w, m)
}

// putMap stores a ConfigMap at a new revision, and answers with it. The caller holds the lock.
func (s *Server) putMap(w http.ResponseWriter, m *corev1.ConfigMap) {
	s.version++
	m.ResourceVersion = strconv.Itoa(s.version)
	text, err := json.Marshal(m)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "InternalError")
		return
	}
	if s.objects["configmaps"] == nil {
		s.objects["configmaps"] = map[string]stored{}
	}
	s.objects["configmaps"][m.Namespace+"/"+m.Name] = stored{version: s.version, text: text}
	answer(w, m)
}
