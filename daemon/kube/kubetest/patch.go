// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"
)

// Forbid makes the server refuse, or accept, changes of status.
func (s *Server) Forbid(forbidden bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forbidden = forbidden
}

// Patches returns the number of accepted status changes.
func (s *Server) Patches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.patched
}

// Service returns a service of the server, or nil.
func (s *Server) Service(namespace, name string) *corev1.Service {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.objects["services"][namespace+"/"+name]
	v := &corev1.Service{}
	if !ok || json.Unmarshal(it.text, v) != nil {
		return nil
	}
	return v
}

// target returns the object whose status is patched, and the kind of patch, by the path of a request:
// /api/v1/namespaces/NAMESPACE/services/NAME/status, or /apis/GROUP/VERSION/clusternetworkpolicies/NAME/status, whose definition has no
// strategic merge. "" if it is neither.
func target(q *http.Request) (resource, key string, merge func(text, patch []byte, version int) (Object, error)) {
	words, how := strings.Split(strings.Trim(q.URL.Path, "/"), "/"), types.PatchType(q.Header.Get("Content-Type"))
	switch {
	case len(words) == 7 && words[4] == "services" && words[6] == "status" && how == types.StrategicMergePatchType:
		return words[4], words[3] + "/" + words[5], patched
	case len(words) == 6 && words[3] == policyResource && words[5] == "status" && how == types.MergePatchType:
		return words[3], "/" + words[4], patchedPolicy
	}
	return "", "", nil
}

// patch merges a status.
func (s *Server) patch(w http.ResponseWriter, q *http.Request) {
	resource, key, merge := target(q)
	text, err := io.ReadAll(q.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.away:
		panic(http.ErrAbortHandler)
	case err != nil || resource == "":
		refuse(w, http.StatusBadRequest, "BadRequest")
		return
	case s.forbidden:
		refuse(w, http.StatusForbidden, "Forbidden")
		return
	case s.hides(path.Dir(path.Dir(q.URL.Path))):
		refuse(w, http.StatusNotFound, "NotFound")
		return
	}
	it, ok := s.objects[resource][key]
	if !ok {
		refuse(w, http.StatusNotFound, "NotFound")
		return
	}
	s.version++
	after, err := merge(it.text, text, s.version)
	switch {
	case errors.Is(err, errOther):
		refuse(w, http.StatusConflict, "Conflict")
		return
	case err != nil:
		refuse(w, http.StatusUnprocessableEntity, "Invalid")
		return
	}
	is, err := s.stored(after, nil)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "InternalError")
		return
	}
	s.objects[resource][key] = is
	s.events = append(s.events, event{is, resource, "MODIFIED"})
	s.patched++
	s.wake()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(is.text)
}

// errOther means that a patch is for another object of that name, or for another revision of it.
var errOther = errors.New("another uid or resourceVersion")

// change is the part of a service's status that a strategic merge patch may contain: lists of addresses are replaced, conditions merged by
// type.
type change struct {
	Metadata struct {
		UID             types.UID `json:"uid"`
		ResourceVersion string    `json:"resourceVersion"` // empty: any revision
	} `json:"metadata"`
	Status struct {
		LoadBalancer *corev1.LoadBalancerStatus `json:"loadBalancer"`
		Conditions   []struct {
			metav1.Condition
			Patch string `json:"$patch"`
		} `json:"conditions"`
	} `json:"status"`
}

// patched is a service with the status that a patch makes of its own.
func patched(text, patch []byte, version int) (Object, error) {
	s, c := &corev1.Service{}, change{}
	strict := json.NewDecoder(bytes.NewReader(patch))
	strict.DisallowUnknownFields()
	if err := errors.Join(json.Unmarshal(text, s), strict.Decode(&c)); err != nil {
		return nil, err
	}
	if v := c.Metadata.ResourceVersion; c.Metadata.UID != s.UID || v != "" && v != s.ResourceVersion {
		return nil, errOther
	}
	if c.Status.LoadBalancer != nil {
		s.Status.LoadBalancer = *c.Status.LoadBalancer
	}
	if s.Spec.Type != corev1.ServiceTypeLoadBalancer { // as the API server does
		s.Status.LoadBalancer = corev1.LoadBalancerStatus{}
	}
	for _, n := range c.Status.Conditions {
		s.Status.Conditions = slices.DeleteFunc(s.Status.Conditions, func(o metav1.Condition) bool { return o.Type == n.Type })
		if n.Patch != "delete" {
			s.Status.Conditions = append(s.Status.Conditions, n.Condition)
		}
	}
	s.ResourceVersion = strconv.Itoa(version)
	return s, nil
}

// patchedPolicy is a cluster-wide policy with the conditions that a merge patch has in place of its own.
func patchedPolicy(text, patch []byte, version int) (Object, error) {
	p, c := &v1alpha2.ClusterNetworkPolicy{}, struct {
		Metadata struct {
			UID             types.UID `json:"uid"`
			ResourceVersion string    `json:"resourceVersion"`
		} `json:"metadata"`
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}{}
	strict := json.NewDecoder(bytes.NewReader(patch))
	strict.DisallowUnknownFields()
	if err := errors.Join(json.Unmarshal(text, p), strict.Decode(&c)); err != nil {
		return nil, err
	}
	if c.Metadata.UID != p.UID || c.Metadata.ResourceVersion != p.ResourceVersion {
		return nil, errOther
	}
	if c.Status.Conditions == nil {
		return nil, errors.New("status.conditions: Required value")
	}
	p.Status.Conditions, p.ResourceVersion = c.Status.Conditions, strconv.Itoa(version)
	return p, nil
}

// Policy returns a cluster-wide policy of the server, or nil.
func (s *Server) Policy(name string) *v1alpha2.ClusterNetworkPolicy {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.objects[policyResource]["/"+name]
	p := &v1alpha2.ClusterNetworkPolicy{}
	if !ok || json.Unmarshal(it.text, p) != nil {
		return nil
	}
	return p
}
