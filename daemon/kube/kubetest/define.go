// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path"
	"slices"

	"sigs.k8s.io/network-policy-api/apis/v1alpha2"
)

// policyResource is the one kind with a CustomResourceDefinition.
const policyResource = "clusternetworkpolicies"

// definition is the server's state of cluster-wide network policies.
type definition struct {
	installed bool
	serves    []string // versions
	starting  bool     // definitions are not loaded yet, as in a starting API server
	secret    bool     // the account may not read the definition
}

// served returns the available versions.
func (d *definition) served() []string {
	if !d.installed || d.starting {
		return nil
	}
	return d.serves
}

// define changes the server's state of cluster-wide network policies. Watches of unserved versions end.
func (s *Server) define(change func(d *definition)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.crd)
	s.wake()
}

// Install defines cluster-wide network policies, in versions v1alpha2 and v1beta1, or removes the definition.
func (s *Server) Install(there bool) {
	s.define(func(d *definition) { d.installed = there })
}

// Serve sets the served versions of cluster-wide network policies.
func (s *Server) Serve(versions ...string) { s.define(func(d *definition) { d.serves = versions }) }

// Starting makes the server have no definitions, as a starting one, until it is over.
func (s *Server) Starting(is bool) { s.define(func(d *definition) { d.starting = is }) }

// Secret forbids the account to read definitions.
func (s *Server) Secret() { s.define(func(d *definition) { d.secret = true }) }

// Hide forbids the account to read a resource, such as "networkpolicies", or permits it again. Its watches continue.
func (s *Server) Hide(resource string, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden[resource] = is
}

// hides reports whether a path is of cluster-wide network policies in an unserved version. The caller holds the lock.
func (s *Server) hides(at string) bool {
	return path.Base(at) == policyResource && !slices.Contains(s.crd.served(), path.Base(path.Dir(at)))
}

// discover answers discovery requests, and whether cluster-wide network policies are defined; false for any other request.
func (s *Server) discover(w http.ResponseWriter, at string) bool {
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
	group := "/apis/" + v1alpha2.GroupVersion.Group
	s.mu.Lock()
	crd := s.crd
	s.mu.Unlock()
	served := crd.served()
	type version struct {
		GroupVersion string `json:"groupVersion"`
		Version      string `json:"version"`
	}
	type named struct {
		Name     string    `json:"name"`
		Versions []version `json:"versions,omitempty"`
	}
	switch {
	case at == "/apis":
		groups := []named{{Name: "apiregistration.k8s.io"}}
		if !crd.starting {
			groups = append(groups, named{Name: "networking.k8s.io", Versions: []version{{"networking.k8s.io/v1", "v1"}}})
		}
		if len(served) > 0 {
			g := named{Name: v1alpha2.GroupVersion.Group}
			for _, v := range served {
				g.Versions = append(g.Versions, version{g.Name + "/" + v, v})
			}
			groups = append(groups, g)
		}
		answer(w, map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
	case path.Dir(at) == group && slices.Contains(served, path.Base(at)):
		answer(w, map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "resources": []named{{Name: policyResource}}})
	case path.Dir(at)+"/" != definitions || crd.starting:
		return false
	case crd.secret:
		refuse(w, http.StatusForbidden, "Forbidden")
	case crd.installed:
		answer(w, map[string]any{"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1"})
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": http.StatusNotFound,
			"details": map[string]string{"name": path.Base(at), "group": "apiextensions.k8s.io", "kind": "customresourcedefinitions"}})
	}
	return true
}

func answer(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what)
}

// converted is an object as returned below a path: policies in the path's version.
func converted(text json.RawMessage, at string) json.RawMessage {
	group := v1alpha2.GroupVersion.Group
	if path.Base(path.Dir(at)) != group {
		return text
	}
	return bytes.Replace(text, []byte(`"apiVersion":"`+group+"/"+v1alpha2.GroupVersion.Version+`"`), []byte(`"apiVersion":"`+group+"/"+path.Base(at)+`"`), 1)
}
