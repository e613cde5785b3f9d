// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

func TestRefusals(t *testing.T) {
	tests := []struct {
		name, kind, body string
		status           int
		code             model.Code
		text             string
	}{
		{"a problem", "application/problem+json; charset=utf-8", `{"status":409,"code":"in-use","detail":"busy","remedy":"wait"}`, 409, model.CodeInUse, "busy (wait)"},
		{"the original's text", "text/plain", "network not found\n", 500, model.CodeInternal, "network not found"},
		{"no such page", "text/plain", "404 page not found", 404, model.CodeNotFound, "Page not found!"},
		{"a proxy's refusal", "text/html", "<html>", 403, model.CodeInvalid, "Access denied!"},
		{"no leader", "text/plain", "netmaster waits for the store", 503, model.CodeUnavailable, "waits for the store"},
		{"a malformed problem", "application/problem+json", "<html>", 500, model.CodeInternal, "<html>"},
		{"something else", "text/plain", "tea", 418, model.CodeInternal, "418"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			defer s.Close()
			_, err := (&Client{Base: s.URL}).Networks().Get(context.Background(), "t", "n")
			if !IsCode(err, test.code) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("want %s with %q, got %v", test.code, test.text, err)
			}
		})
	}
}

// CLI-02: a client without an HTTP client uses Go's own.
func TestWithoutHTTPClient(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[{"networkName":"n"}]`)) }))
	defer s.Close()
	list, err := (&Client{Base: s.URL, HTTP: nil}).Networks().List(context.Background())
	if err != nil || len(list) != 1 || list[0].NetworkName != "n" {
		t.Errorf("want the list, got %v, %v", list, err)
	}
}

func TestBadAnswer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	defer s.Close()
	if _, err := (&Client{Base: s.URL}).Networks().List(context.Background()); err == nil || !strings.Contains(err.Error(), "decode the answer") {
		t.Errorf("want a complaint about the answer, got %v", err)
	}
}

// With several masters, one that does not answer is passed over; with a timeout, the client waits for a leader.
func TestMasters(t *testing.T) {
	var calls atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) < 3 {
			http.Error(w, "no leader", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("[]"))
	}))
	defer s.Close()
	c := &Client{Masters: func(context.Context) []string { return []string{"http://127.0.0.1:1", s.URL} }, Timeout: 10 * time.Second}
	if _, err := c.Networks().List(context.Background()); err != nil || calls.Load() != 3 {
		t.Errorf("want success at the third call, got %v after %d", err, calls.Load())
	}
	calls.Store(0)
	c.Timeout = 0
	if _, err := c.Networks().List(context.Background()); !IsCode(err, model.CodeUnavailable) {
		t.Errorf("without a timeout: want unavailable, got %v", err)
	}
}

// If no netmaster succeeds, the error is that of a running one, or names all that do not answer.
func TestNoMaster(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "netmaster waits for the store", http.StatusServiceUnavailable)
	}))
	defer s.Close()
	for _, test := range []struct {
		name  string
		bases []string
		want  []string
	}{
		{"one that waits, and one that is away", []string{s.URL, "http://127.0.0.1:1"}, []string{"waits for the store"}},
		{"two that are away", []string{"http://127.0.0.1:1", "http://127.0.0.1:2"},
			[]string{"none of 2 netmasters answers: ", "127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused; 127.0.0.1:2: ", "are the addresses right?"}},
		{"one that is away", []string{"http://127.0.0.1:1"}, []string{"is netmaster running and is the address right?"}},
	} {
		_, err := (&Client{Base: strings.Join(test.bases, ",")}).Networks().List(context.Background())
		for _, want := range test.want {
			if !IsCode(err, model.CodeUnavailable) || !strings.Contains(model.AsError(err).Error(), want) {
				t.Errorf("%s: want %q, got %v", test.name, want, err)
			}
		}
	}
}

// The client tries the preferred netmaster first, and the others if it does not answer.
func TestPrefer(t *testing.T) {
	answering := func(tag string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `[{"networkName":%q}]`, tag) }))
		t.Cleanup(s.Close)
		return s
	}
	usual, preferred := answering("usual"), answering("preferred")
	tests := []struct{ name, base, want string }{
		{"none", "", "usual"}, {"one that answers", preferred.URL, "preferred"}, {"one that does not", "http://127.0.0.1:1", "usual"},
	}
	for _, test := range tests {
		list, err := (&Client{Base: usual.URL}).Networks().List(Prefer(context.Background(), test.base))
		if err != nil || len(list) != 1 || list[0].NetworkName != test.want {
			t.Errorf("%s: want the answer of %s, got %v, %v", test.name, test.want, list, err)
		}
	}
	if _, err := (&Client{Base: usual.URL}).Networks().List(Prefer(context.Background(), "nonsense")); !IsCode(err, model.CodeInvalid) {
		t.Errorf("a malformed URL: want a refusal, got %v", err)
	}
}

// CLI-03: a token is only sent over TLS; without a token nothing is sent.
func TestTokenIsSent(t *testing.T) {
	var got []string
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		got = append(got, q.Header.Values("X-Auth-Token")...)
		got = append(got, ";")
		_, _ = w.Write([]byte("[]"))
	}))
	defer s.Close()
	for _, token := range []string{"secret", ""} {
		if _, err := (&Client{Base: s.URL, HTTP: s.Client(), Token: token}).Networks().List(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if text := strings.Join(got, ""); text != "secret;;" {
		t.Errorf("want the token once, got %q", text)
	}
}

// CLI-03: over http a token is refused.
func TestTokenNeedsTLS(t *testing.T) {
	c := &Client{Base: "http://127.0.0.1:1", Token: "secret"}
	if _, err := c.Networks().List(context.Background()); !IsCode(err, model.CodeInvalid) || strings.Contains(err.Error(), "secret") {
		t.Errorf("want a refusal that keeps the secret, got %v", err)
	}
}

// After a broken or malformed stream, the receiver gets one error and then everything again.
func TestWatchReconnects(t *testing.T) {
	var calls atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := calls.Add(1)
		fmt.Fprintf(w, ": a comment\nid: %d\nevent: full\ndata: {\"type\":\"full\",\ndata: \"kind\":\"network\",\"revision\":%d}\n\n", n, n)
		if n == 1 {
			fmt.Fprint(w, "data: {\"type\":\"put\"") // cut off
		}
	}))
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var seen []string
	for e, err := range (&Client{Base: s.URL}).Watch(ctx, []*model.Kind{model.KindNetwork()}) {
		if err != nil {
			seen = append(seen, "broken")
		} else {
			seen = append(seen, fmt.Sprintf("%s %s %d", e.Type, e.Kind, e.Revision))
		}
		if len(seen) == 3 {
			break
		}
	}
	if got := strings.Join(seen, ", "); got != "full network 1, broken, full network 2" {
		t.Errorf("got %s", got)
	}
}

func FuzzWatch(f *testing.F) {
	f.Add("id: 1\nevent: full\ndata: {\"type\":\"full\",\"kind\":\"network\",\"items\":[{}]}\n\n")
	f.Add("data: [\n\n")
	f.Fuzz(func(_ *testing.T, text string) {
		c := &Client{Base: "http://x", HTTP: &http.Client{Transport: canned(text)}}
		_, _ = c.stream(context.Background(), "http://x", "/", func(model.Event) bool { return true })
	})
}

// canned answers every request with the same body.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	_, _ = w.WriteString(string(c))
	return w.Result(), nil
}

// The user behind a request is determined and sent only with changes.
func TestActor(t *testing.T) {
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		got = append(got, q.Method+" "+q.Header.Get(model.ActorHeader))
		_, _ = w.Write([]byte("[]"))
	}))
	defer s.Close()
	asked := 0
	c := &Client{Base: s.URL, Actor: func() string { asked++; return "ann" }}
	if _, err := c.Networks().List(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.Networks().Delete(t.Context(), "t", "n"); err != nil {
		t.Error(err)
	}
	if text := strings.Join(got, ";"); text != "GET ;DELETE ann" || asked != 1 {
		t.Errorf("want the name once, with the change, got %q, asked %d times", text, asked)
	}
}
