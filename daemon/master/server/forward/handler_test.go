// SPDX-License-Identifier: Apache-2.0

package forward

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/store"
)

// own is the internal address of the netmaster under test.
const own = "192.0.2.1:9999"

// senders accept every request, as forwarded or not, or refuse it. They seal with a header.
type senders struct {
	forwarded bool
	err       error
}

func (s senders) Accept(q *http.Request, _ *rest.Route, _ []byte) (context.Context, bool, error) {
	return q.Context(), s.forwarded, s.err
}

func (senders) Seal(out, _ *http.Request, body []byte) { out.Header.Set("Sealed", string(body)) }

// leads is a lock that one netmaster holds throughout.
type leads string

func (l leads) Leader() string         { return string(l) }
func (leads) Changed() <-chan struct{} { return nil }
func (l leads) Leading() bool          { return l == own }

// A change is carried out by the leader only, once, with its body, and a read by the netmaster that receives it.
func TestHandler(t *testing.T) {
	leader := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		w.Header().Set(model.RevisionHeader, "7")
		w.Header().Set("Keep-Alive", "timeout=5")
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, "leader: %s %s %s sealed %s", q.Method, q.URL, body, q.Header.Get("Sealed"))
	}))
	defer leader.Close()
	elsewhere := strings.TrimPrefix(leader.URL, "http://")
	for _, row := range []struct {
		name    string
		method  string
		leader  string
		senders senders
		status  int
		answer  string
		caught  []store.Revision
		refused int // recorded refusals
	}{
		{"a read of a follower", http.MethodGet, elsewhere, senders{}, 200, "here: GET /thing/?a=b ", nil, 0},
		{"a change of the leader", http.MethodPost, own, senders{}, 200, "here: POST /thing/?a=b text", nil, 0},
		{"a change of a follower", http.MethodPost, elsewhere, senders{}, 201, "leader: POST /thing/?a=b text sealed text", []store.Revision{7}, 0},
		{"a forwarded change of the leader", http.MethodPost, own, senders{forwarded: true}, 200, "here: POST /thing/?a=b text", nil, 0},
		{"a forwarded change of a follower", http.MethodPost, elsewhere, senders{forwarded: true}, 503, own + " does not lead", nil, 0},
		{"an unknown sender", http.MethodPost, own, senders{err: model.Errorf(model.CodeDenied, "", "not permitted")}, 403, "not permitted", nil, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			here := rest.NewRouter(slog.New(slog.DiscardHandler))
			serve := func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
				body, _ := io.ReadAll(q.Body)
				_, _ = fmt.Fprintf(w, "here: %s %s %s", q.Method, q.URL, body)
			}
			here.GET("/thing/", serve)
			here.POST("/thing/", serve)
			var caught []store.Revision
			refused := 0
			f := &Forwarder{Leadership: leads(row.leader), Writable: func() bool { return true }, Callers: row.senders, Router: here, Internal: own,
				Transport: peer.Transport{HTTP: leader.Client()}, Waiting: func() []string { return nil },
				Refused: func(_ *http.Request, err error) {
					if !errors.Is(err, row.senders.err) {
						t.Errorf("recorded refusal: got %v, want %v", err, row.senders.err)
					}
					refused++
				},
				CatchUp: func(_ context.Context, rev store.Revision) error {
					caught = append(caught, rev)
					return nil
				}}
			q := httptest.NewRequest(row.method, "/thing/?a=b", nil)
			if row.method != http.MethodGet {
				q = httptest.NewRequest(row.method, "/thing/?a=b", strings.NewReader("text"))
			}
			q.Header.Set("Accept", "application/json")
			w := httptest.NewRecorder()
			f.Handler(here).ServeHTTP(w, q)
			if got := w.Body.String(); w.Code != row.status || !strings.Contains(got, row.answer) {
				t.Errorf("got %d %q, want %d %q", w.Code, got, row.status, row.answer)
			}
			if !slices.Equal(caught, row.caught) || refused != row.refused {
				t.Errorf("got revisions %v and %d refusals, want %v and %d", caught, refused, row.caught, row.refused)
			}
			if got := w.Header().Get("Keep-Alive"); got != "" {
				t.Errorf("header of the leader's connection: got %q, want none", got)
			}
		})
	}
}
