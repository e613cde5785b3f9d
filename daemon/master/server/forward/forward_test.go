// SPDX-License-Identifier: Apache-2.0

package forward

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/server/peer"
)

// callers adds nothing to requests.
type callers struct{ Callers }

func (callers) Seal(_, _ *http.Request, _ []byte) {}

// lock is who leads, as a test says.
type lock struct {
	Leadership
	mu      sync.Mutex
	leader  string
	changed chan struct{}
}

func (l *lock) Leader() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leader
}

func (l *lock) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

func (l *lock) pass(to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leader = to
	close(l.changed)
	l.changed = make(chan struct{})
}

// A leader that has the request and never answers, because its network is gone, is given up once another leads.
func TestSilentLeader(t *testing.T) {
	asked, mute := make(chan struct{}), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-mute
	}))
	defer silent.Close()
	defer close(mute)
	leader := strings.TrimPrefix(silent.URL, "http://")
	leads := &lock{leader: leader, changed: make(chan struct{})}
	f := &Forwarder{Callers: callers{}, Internal: "192.0.2.1:9999", Leadership: leads, Transport: peer.Transport{HTTP: silent.Client()}}
	go func() {
		<-asked
		leads.pass(leader) // news that change nothing
		leads.pass("192.0.2.2:9999")
	}()
	q := httptest.NewRequest(http.MethodPost, "/api/v1/tenants/x/", strings.NewReader("body"))
	if _, err := f.send(q, leader, []byte("body")); !errors.Is(err, errStale) {
		t.Errorf("want the request to be free for the next leader, got %v", err)
	}
}

// A netmaster stops waiting for a leader that leads and does not answer, and says so to the client, which tries another netmaster.
func TestLateLeader(t *testing.T) {
	mute := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-mute }))
	defer silent.Close()
	defer close(mute)
	leader := strings.TrimPrefix(silent.URL, "http://")
	f := &Forwarder{Callers: callers{}, Internal: "192.0.2.1:9999", Leadership: &lock{leader: leader, changed: make(chan struct{})},
		Transport: peer.Transport{HTTP: silent.Client()}, AnswerLimit: 10 * time.Millisecond}
	q := httptest.NewRequest(http.MethodPost, "/api/v1/tenants/x/", strings.NewReader("body"))
	_, err := f.send(q, leader, []byte("body"))
	if !errors.Is(err, errLate) {
		t.Fatalf("want the leader given up, got %v", err)
	}
	if e := unanswered(leader, err); e.Code != model.CodeUnavailable {
		t.Errorf("want a refusal after which clients ask another netmaster, got %v", e)
	}
}

// A follower reads an answer that has begun to its end, whichever netmaster leads by then.
func TestAnswerOutlivesTerm(t *testing.T) {
	more := make(chan struct{})
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "first, ")
		_ = http.NewResponseController(w).Flush()
		<-more
		_, _ = io.WriteString(w, "last")
	}))
	defer old.Close()
	leader := strings.TrimPrefix(old.URL, "http://")
	leads := &lock{leader: leader, changed: make(chan struct{})}
	f := &Forwarder{Callers: callers{}, Internal: "192.0.2.1:9999", Leadership: leads, Transport: peer.Transport{HTTP: old.Client()}}
	q := httptest.NewRequest(http.MethodPost, "/api/v1/tenants/x/", strings.NewReader("body")).WithContext(context.Background())
	answer, err := f.send(q, leader, []byte("body"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	leads.pass("192.0.2.2:9999")
	close(more)
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "first, last" {
		t.Errorf("want the whole answer, got %q, %v", text, err)
	}
}
