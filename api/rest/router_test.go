// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
)

// Routes handle changes, reads, wrong bodies and defects.
func TestRoutes(t *testing.T) {
	type name struct{ Name string }
	r := NewRouter(slog.New(slog.DiscardHandler))
	greet := func(_ *http.Request, in name) (string, uint64, error) {
		if in.Name == "" {
			return "", 0, model.Errorf(model.CodeInvalid, "Name", "no name").Try("give one")
		}
		return "hello " + in.Name, 7, nil
	}
	Change(r, "/greet", greet)
	Change(r, "/short", greet).MaxBody = 16
	Change(r, "/json", greet).Content = "application/json"
	r.Read("/one/:id", func(_ *http.Request, p httprouter.Params) (any, error) { return p.ByName("id"), nil })
	r.Read("/defect", func(*http.Request, httprouter.Params) (any, error) { return nil, errors.New("boom") })
	for _, row := range []struct {
		name, method, path, body string
		status                   int
		revision                 string
		want                     string // part of the answer
	}{
		{"a change", "POST", "/greet", `{"Name":"ann"}`, 200, "7", `"hello ann"`},
		{"a refused one", "POST", "/greet", `{}`, 400, "", `"remedy":"give one"`},
		{"no JSON", "POST", "/greet", `{`, 400, "", "must be one JSON object"},
		{"no body", "POST", "/greet", "", 400, "", "the body is empty"},
		{"another type", "POST", "/greet", `{"Name":7}`, 400, "", "Name takes a string, got a number"},
		{"as long as may be", "POST", "/short", `{"Name":"annab"}`, 200, "7", "annab"},
		{"too long", "POST", "/short", `{"Name":"annabe"}`, 413, "", "larger than 16 bytes"},
		{"no content type", "POST", "/json", `{"Name":"ann"}`, 404, "", "not found"},
		{"a read", "GET", "/one/a.b", "", 200, "", `"a.b"`},
		{"a defect", "GET", "/defect", "", 500, "", "boom"},
		{"another verb", "GET", "/greet", "", 404, "", "not found"},
		{"another path", "GET", "/other", "", 404, "", "not found"},
	} {
		t.Run(row.name, func(t *testing.T) {
			q := httptest.NewRequest(row.method, row.path, strings.NewReader(row.body))
			q.Header.Set("Accept", "application/json")
			w := httptest.NewRecorder()
			r.ServeHTTP(w, q)
			text, err := io.ReadAll(w.Body)
			if err != nil || w.Code != row.status || w.Header().Get(model.RevisionHeader) != row.revision || !strings.Contains(string(text), row.want) {
				t.Errorf("want %d, revision %q and %q, got %d, %q, %s, %v", row.status, row.revision, row.want, w.Code, w.Header().Get(model.RevisionHeader), text, err)
			}
		})
	}
}

// Each described route has one handler, and no other route has one.
func TestCheck(t *testing.T) {
	nothing := func(http.ResponseWriter, *http.Request, httprouter.Params) {}
	for _, row := range []struct {
		name          string
		add, describe []string
		want          string // "": nothing is wrong
	}{
		{"as described", []string{"/a", "/b/:id"}, []string{"GET /a", "GET /b/{id}"}, ""},
		{"no handler", []string{"/a"}, []string{"GET /a", "GET /b/{id}"}, "GET /b/{id}: got no handler, want one: a part adds it, or remove it from api/routes.yaml"},
		{"two handlers", []string{"/a", "/a"}, []string{"GET /a"}, "GET /a: got 2 handlers, want 1"},
		{"not described", []string{"/a", "/c"}, []string{"GET /a"}, "GET /c: got no description, want one: add it to api/routes.yaml and run make generate"},
		{"another method", []string{"/a"}, []string{"GET /a", "POST /a"}, "POST /a: got no handler, want one: a part adds it, or remove it from api/routes.yaml"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := NewRouter(slog.New(slog.DiscardHandler))
			for _, path := range row.add {
				r.GET(path, nothing)
			}
			got := ""
			if err := r.Check(row.describe); err != nil {
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// Match returns the route of a request without serving it.
func TestMatch(t *testing.T) {
	r := NewRouter(slog.New(slog.DiscardHandler))
	nothing := func(http.ResponseWriter, *http.Request, httprouter.Params) {}
	r.GET("/stream", nothing).Stream = true
	r.GET("/agents/:host/:what", nothing).Bound = "traces"
	for _, row := range []struct{ name, method, path, want string }{
		{"plain", "GET", "/stream", "/stream"},
		{"with variables", "GET", "/agents/h1/flows", "/agents/:host/:what"},
		{"an unknown verb", "POST", "/stream", ""},
		{"a slash too many", "GET", "/stream/", ""},
		{"unknown", "GET", "/", ""},
	} {
		got := Route{}
		if m := r.Match(httptest.NewRequest(row.method, row.path, nil)); m != nil {
			got = *m
		}
		if got.Path != row.want || got.Stream != (row.want == "/stream") || (got.Bound == "traces") != strings.HasPrefix(row.want, "/agents") {
			t.Errorf("%s: want %q, got %+v", row.name, row.want, got)
		}
	}
}

// A body that does not arrive in time gets status 408, also for clients of the original.
func TestLateBody(t *testing.T) {
	r := NewRouter(slog.New(slog.DiscardHandler))
	Change(r, "/greet", func(_ *http.Request, in struct{}) (string, uint64, error) { return "hello", 0, nil })
	for _, accept := range []string{"", "application/json"} {
		q := httptest.NewRequest("POST", "/greet", io.MultiReader(strings.NewReader("{"), late{}))
		if accept != "" {
			q.Header.Set("Accept", accept)
		}
		w := httptest.NewRecorder()
		if r.ServeHTTP(w, q); w.Code != http.StatusRequestTimeout {
			t.Errorf("Accept %q: want 408, got %d %s", accept, w.Code, w.Body)
		}
	}
}

// late is a body that does not come in time.
type late struct{}

func (late) Read([]byte) (int, error) {
	return 0, &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
}
