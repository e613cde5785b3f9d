// SPDX-License-Identifier: Apache-2.0

package inspect_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// The agent of an endpoint's host reports which ports of the host lead to the endpoint; none is an answer, too. Without the agent that is unknown.
func TestInspectPublished(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24")
	m.Endpoint(t, "default", "blue", "", "web", "")
	said := func(name string, want ...string) {
		t.Helper()
		got, err := m.Endpoints().Inspect(t.Context(), "web")
		if err != nil || len(got.Oper.Published) != len(want) || !slices.EqualFunc(got.Oper.Published, want, strings.HasPrefix) {
			t.Errorf("%s: want %q, got %+v, %v", name, want, got.Oper, err)
		}
	}
	said("without an agent", "unknown: no agent of host h1 is registered")
	answers := make(chan string, 1)
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.RequestURI() != "/inspect/published?of=default%3Ablue%3Aweb" {
			http.Error(w, "no switch", http.StatusServiceUnavailable)
			return
		}
		if text := <-answers; text != "" {
			_, _ = w.Write([]byte(text))
			return
		}
		http.NotFound(w, q) // as an agent of an older version
	}))
	defer agent.Close()
	m.Registered(t, "h1", agent.Listener.Addr().String())
	for _, test := range []struct {
		name, answer string
		want         []string
	}{
		{"none", `[]`, nil},
		{"two, of which one does not work", `[{"protocol":"tcp","host":"0.0.0.0:8080","container":80},{"protocol":"udp","host":"[::1]:53","container":53,"why":"no reason"}]`,
			[]string{"tcp 0.0.0.0:8080 to 80", "udp [::1]:53 to 53, does not work: no reason"}},
		{"no answer", "", []string{"unknown: host h1: "}},
		{"an answer that is none", "{", []string{"unknown: host h1: "}},
	} {
		answers <- test.answer
		said(test.name, test.want...)
	}
}
