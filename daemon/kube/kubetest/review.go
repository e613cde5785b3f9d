// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"encoding/json"
	"net/http"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Token describes a token that the server has issued.
type Token struct {
	User      string // such as system:serviceaccount:NAMESPACE:NAME
	Node      string // of the pod that it is bound to; "": none
	Audiences []string
}

// APIAudience is the audience of tokens for the API server.
const APIAudience = "https://kubernetes.default.svc"

// Permit lets a user get a path that is no resource.
func (s *Server) Permit(user, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.permitted = append(s.permitted, [2]string{user, path})
}

// access answers a SubjectAccessReview of a path that is no resource.
func (s *Server) access(w http.ResponseWriter, q *http.Request) {
	var r authorizationv1.SubjectAccessReview
	if err := json.NewDecoder(q.Body).Decode(&r); err != nil || r.Spec.NonResourceAttributes == nil || r.Spec.User == "" {
		refuse(w, http.StatusBadRequest, "BadRequest")
		return
	}
	s.mu.Lock()
	allowed := slices.Contains(s.permitted, [2]string{r.Spec.User, r.Spec.NonResourceAttributes.Path}) && r.Spec.NonResourceAttributes.Verb == "get"
	away, forbidden := s.away, s.forbidden
	s.mu.Unlock()
	switch {
	case away:
		panic(http.ErrAbortHandler)
	case forbidden:
		refuse(w, http.StatusForbidden, "Forbidden")
		return
	}
	r.Status.Allowed = allowed
	r.TypeMeta = metav1.TypeMeta{Kind: "SubjectAccessReview", APIVersion: "authorization.k8s.io/v1"}
	answer(w, r)
}

// Issue makes the server issue a token.
func (s *Server) Issue(text string, t Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil {
		s.tokens = map[string]Token{}
	}
	s.tokens[text] = t
}

// review answers a TokenReview: a token is valid if the server has issued it for one of the requested audiences.
func (s *Server) review(w http.ResponseWriter, q *http.Request) {
	var r authenticationv1.TokenReview
	if err := json.NewDecoder(q.Body).Decode(&r); err != nil {
		refuse(w, http.StatusBadRequest, "BadRequest")
		return
	}
	s.mu.Lock()
	t, known := s.tokens[r.Spec.Token]
	away, forbidden := s.away, s.forbidden
	s.mu.Unlock()
	switch {
	case away:
		panic(http.ErrAbortHandler)
	case forbidden:
		refuse(w, http.StatusForbidden, "Forbidden")
		return
	}
	asked := r.Spec.Audiences
	if len(asked) == 0 {
		asked = []string{APIAudience}
	}
	for _, a := range asked {
		if known && slices.Contains(t.Audiences, a) {
			r.Status.Authenticated = true
			r.Status.Audiences = append(r.Status.Audiences, a)
		}
	}
	if r.Status.Authenticated {
		r.Status.User.Username = t.User
		if t.Node != "" {
			r.Status.User.Extra = map[string]authenticationv1.ExtraValue{"authentication.kubernetes.io/node-name": {t.Node}}
		}
	} else {
		r.Status.Error = "invalid bearer token"
	}
	r.TypeMeta = metav1.TypeMeta{Kind: "TokenReview", APIVersion: "authentication.k8s.io/v1"}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(r)
}
