// SPDX-License-Identifier: Apache-2.0

package caller

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/trust"
)

// nobody knows no token of this cluster.
type nobody struct{}

func (nobody) Subject(context.Context, string) (auth.Subject, error) {
	return auth.Subject{}, model.Errorf(model.CodeUnproved, "", "the token is unknown")
}
func (nobody) Grants(*auth.Subject) rights.Grants { return nil }

// prometheus permits one token at one path.
type prometheus struct{ asked *[]string }

func (p prometheus) User(_ context.Context, token, path string) (string, error) {
	*p.asked = append(*p.asked, token+" "+path)
	if token != "a.b.c" || path != "/metrics" {
		return "", model.Errorf(model.CodeDenied, "", "it may not")
	}
	return "system:serviceaccount:monitoring:prometheus", nil
}

// A token of Kubernetes reads metrics, and reaches nothing else: no other route, no other method, and no certificate.
func TestScrapers(t *testing.T) {
	routes := map[string]*rest.Route{}
	for path, access := range map[string]rest.Access{"GET /metrics": rest.Needs(rights.Read, trust.Master, trust.Monitor), "GET /metrics/:host": rest.Needs(rights.Read, trust.Monitor), "GET /info": rest.Needs(rights.Read, trust.Monitor),
		"POST /api/v1/certificates/renew": rest.Only(trust.Master, trust.Agent, trust.User, trust.Monitor), "POST /metrics": rest.Needs(rights.Read)} {
		method, path, _ := strings.Cut(path, " ")
		routes[method+" "+path] = &rest.Route{Method: method, Path: path, Access: access}
	}
	for _, row := range []struct {
		name, request, token string
		without              bool // Kubernetes is not used
		want                 int
		asked                string
	}{
		{"metrics", "GET /metrics", "a.b.c", false, http.StatusOK, "a.b.c /metrics"},
		{"metrics of an agent", "GET /metrics/:host", "a.b.c", false, http.StatusOK, "a.b.c /metrics"},
		{"metrics with another token", "GET /metrics", "a.b.d", false, http.StatusForbidden, "a.b.d /metrics"},
		{"metrics with a token of this cluster", "GET /metrics", "abc", false, http.StatusUnauthorized, ""},
		{"metrics without a token", "GET /metrics", "", false, http.StatusUnauthorized, ""},
		{"metrics without Kubernetes", "GET /metrics", "a.b.c", true, http.StatusUnauthorized, ""},
		{"another route", "GET /info", "a.b.c", false, http.StatusUnauthorized, ""},
		{"another method", "POST /metrics", "a.b.c", false, http.StatusUnauthorized, ""},
		{"a certificate", "POST /api/v1/certificates/renew", "a.b.c", false, http.StatusUnauthorized, ""},
		{"no route", "GET /metrics/more", "a.b.c", false, http.StatusUnauthorized, ""},
	} {
		var asked []string
		a := &Authenticator{Users: nobody{}, Refused: func(*http.Request, error) {}, Match: func(q *http.Request) *rest.Route { return routes[q.Method+" "+q.URL.Path] }}
		if !row.without {
			a.Scraper = prometheus{&asked}
		}
		var who *auth.Subject
		h := a.Authenticated(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { who = auth.Of(q.Context()) }))
		method, path, _ := strings.Cut(row.request, " ")
		q, answer := httptest.NewRequest(method, path, nil), httptest.NewRecorder()
		if row.token != "" {
			q.Header.Set("Authorization", "Bearer "+row.token)
		}
		h.ServeHTTP(answer, q)
		if answer.Code != row.want || strings.Join(asked, ",") != row.asked {
			t.Errorf("%s: want %d after asking for %q, got %d after %q", row.name, row.want, row.asked, answer.Code, asked)
		}
		if row.want == http.StatusOK && (who == nil || who.Proof != auth.ByKubernetes || who.Name != "system:serviceaccount:monitoring:prometheus" || who.Proves() != (auth.Proven{})) {
			t.Errorf("%s: want the account, which proves nothing else, got %+v", row.name, who)
		}
	}
}
