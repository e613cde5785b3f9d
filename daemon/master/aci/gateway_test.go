// SPDX-License-Identifier: Apache-2.0

package aci

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestGatewayAnswers(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		info   string
		err    string
	}{
		{"success", 200, `{"result":"success","info":"LGTM"}`, "LGTM", ""},
		{"refused", 200, `{"result":"invalid-args","info":"empty/missing epglist"}`, "", "invalid-args - empty/missing epglist"},
		{"no gateway", 404, "nothing here", "", "404 Not Found"},
		{"denied", 403, "", "", "403 Forbidden"},
		{"not JSON", 200, "<html>", "", "not the gateway's"},
		{"empty", 200, "", "", "not the gateway's"},
		{"endless", 200, `{"info":"` + strings.Repeat("a", 2*answerSize) + `"}`, "", "not the gateway's"},
		{"another shape", 200, `{"result":{"x":1}}`, "", "not the gateway's"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.URL.Path != "/createAppProf" {
					t.Errorf("want /createAppProf, got %s", q.URL.Path)
				}
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			defer server.Close()
			info, err := (&Gateway{URL: server.URL + "/"}).Apply(context.Background(), &Spec{Tenant: "t", Profile: "p"})
			if info != test.info || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("want %q and error %q, got %q, %v", test.info, test.err, info, err)
			}
		})
	}
	if _, err := (&Gateway{URL: "http://127.0.0.1:1"}).Delete(context.Background(), "t", "p"); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("a gateway that is away: got %v", err)
	}
	if _, err := (&Gateway{URL: "://"}).Delete(context.Background(), "t", "p"); err == nil {
		t.Error("a URL that is none must be an error")
	}
}

func FuzzVerdict(f *testing.F) {
	f.Add([]byte(`{"result":"success","info":"LGTM"}`))
	f.Add([]byte(`{"result":"failed"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if info, err := verdict("http://gw", body); err != nil && info != "" {
			t.Errorf("a refusal has no information beside the error: %q, %v", info, err)
		}
	})
}

// A gateway that sends the master elsewhere has refused.
func TestGatewayRedirects(t *testing.T) {
	victim := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		t.Errorf("the victim was asked: %s %s", q.Method, q.URL)
		_, _ = w.Write([]byte(`{"result":"success"}`))
	}))
	defer victim.Close()
	gateway := httptest.NewServer(http.RedirectHandler(victim.URL+"/x", http.StatusTemporaryRedirect))
	defer gateway.Close()
	if _, err := (&Gateway{URL: gateway.URL}).Apply(t.Context(), &Spec{Tenant: "t", Profile: "p"}); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("want a refusal with 307, got %v", err)
	}
}
