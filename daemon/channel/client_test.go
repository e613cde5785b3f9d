// SPDX-License-Identifier: Apache-2.0

package channel_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

// switched is a fake switch whose applied revision a test sets.
type switched struct {
	mu     sync.Mutex
	at     uint64
	status string
	mark   channel.Mark
	held   map[channel.Shard]channel.Digest
	moved  chan struct{}
}

// take makes the switch hold everything up to the mark of a batch.
func (s *switched) take(mark channel.Mark, held map[channel.Shard]channel.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark, s.held = mark, held
}

func (s *switched) Held() (channel.Mark, map[channel.Shard]channel.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mark, s.held
}

func (s *switched) set(at uint64, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.status = at, status
	close(s.moved)
	s.moved = make(chan struct{})
}

func (s *switched) Revision() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

func (s *switched) Status() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return json.Marshal(s.status)
}

func (s *switched) Wait(ctx context.Context, rev uint64) error {
	for {
		s.mu.Lock()
		at, moved := s.at, s.moved
		s.mu.Unlock()
		if at >= rev {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// serve starts a fake netmaster with the answers of a test.
func serve(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(answer)
	server.Config.Protocols = channel.Protocols()
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// A netmaster that refuses is one outage with its reason, and the client tries the next one.
func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		status int
		want   string
	}{
		{http.StatusNotFound, "of an earlier build"},
		{http.StatusServiceUnavailable, "it has lost its store"},
		{http.StatusTooManyRequests, "429 Too Many Requests"},
	} {
		var good atomic.Bool
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if !good.Load() {
				http.Error(w, `{"code":"unavailable","detail":"it has lost its store"}`, row.status)
				return
			}
			_, _ = w.Write(channel.EncodeMark(channel.Mark{Revision: 7}, nil))
			_ = http.NewResponseController(w).Flush()
		})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		c := channel.NewClient(channel.Options{Host: "h1", Masters: func(context.Context) []string { return []string{url} }, HTTP: channel.NewHTTP(nil),
			Hooks: channel.Hooks{Reporter: &switched{moved: make(chan struct{})}}, Log: slog.New(slog.DiscardHandler)})
		var outage string
		for b, err := range c.Follow(ctx) {
			if err != nil {
				outage = err.Error()
				good.Store(true)
				continue
			}
			if b.Revision != 7 || !strings.Contains(outage, row.want) {
				t.Errorf("%d: want %q and then revision 7, got %q, %d", row.status, row.want, outage, b.Revision)
			}
			break
		}
		cancel()
	}
}

// An agent sends its identity, and then reports its revision and status as soon as they change.
func TestReports(t *testing.T) {
	at := &switched{at: 1, status: "starts", moved: make(chan struct{})}
	reports := make(chan channel.Report, 100)
	hellos := make(chan channel.Hello, 1)
	url := serve(t, func(w http.ResponseWriter, q *http.Request) {
		body := json.NewDecoder(q.Body)
		var hello channel.Hello
		if err := body.Decode(&hello); err != nil {
			t.Error(err)
		}
		hellos <- hello
		_, _ = w.Write(channel.EncodeMark(channel.Mark{Revision: 5}, nil))
		_ = http.NewResponseController(w).Flush()
		for {
			var r channel.Report
			if body.Decode(&r) != nil {
				return
			}
			reports <- r
		}
	})
	opened := make(chan struct{}, 1)
	c := channel.NewClient(channel.Options{Host: "h1", Masters: func(context.Context) []string { return []string{url} },
		Hooks: channel.Hooks{Instance: func() string { return "s" }, Reporter: at, Opened: func(record.Incarnation) { opened <- struct{}{} }}, HTTP: channel.NewHTTP(nil), Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range c.Follow(ctx) {
		}
	}()
	if hello := <-hellos; hello.Host != "h1" || hello.Instance != "s" {
		t.Errorf("hello: got %+v", hello)
	}
	<-opened
	until := func(what string, is func(channel.Report) bool) {
		t.Helper()
		for {
			select {
			case r := <-reports:
				if is(r) {
					return
				}
			case <-ctx.Done():
				t.Fatalf("want %s reported", what)
			}
		}
	}
	until("how it starts", func(r channel.Report) bool { return r.Revision == 1 && string(r.Status) == `"starts"` })
	until("that it is there", func(r channel.Report) bool { return r.Revision == 1 && r.Status == nil })
	at.set(5, "ready")
	until("its revision", func(r channel.Report) bool { return r.Revision == 5 })
	until("its status", func(r channel.Report) bool { return r.Revision == 5 && string(r.Status) == `"ready"` })
	cancel()
	<-ended
}

// Among several netmasters of which one serves, the agent finds that one at once, and stays with it.
func TestOneOfMany(t *testing.T) {
	var asked atomic.Int32
	good := serve(t, func(w http.ResponseWriter, q *http.Request) {
		asked.Add(1)
		_, _ = w.Write(channel.EncodeMark(channel.Mark{Revision: 7}, nil))
		_ = http.NewResponseController(w).Flush()
		<-q.Context().Done()
	})
	urls := []string{good}
	for range 20 {
		dead := httptest.NewServer(nil)
		dead.Close()
		urls = append(urls, dead.URL)
	}
	for range 20 {
		c := channel.NewClient(channel.Options{Host: "h1", Masters: func(context.Context) []string { return urls }, HTTP: channel.NewHTTP(nil), Log: slog.New(slog.DiscardHandler)})
		for b, err := range c.Follow(t.Context()) {
			if err != nil || b.Revision != 7 || c.With() != good {
				t.Fatalf("want the one that serves without an outage, got %d, %q, %v", b.Revision, c.With(), err)
			}
			break
		}
	}
	if n := asked.Load(); n != 20 {
		t.Errorf("want it asked once each, got %d", n)
	}
}

// A host that needs more shards than before sends its hello again at once, and continues at its position.
func TestAgain(t *testing.T) {
	hellos := make(chan channel.Hello, 10)
	url := serve(t, func(w http.ResponseWriter, q *http.Request) {
		var hello channel.Hello
		if err := json.NewDecoder(q.Body).Decode(&hello); err != nil {
			t.Error(err)
		}
		hellos <- hello
		_, _ = w.Write(channel.EncodeMark(channel.Mark{Revision: 5}, nil))
		_ = http.NewResponseController(w).Flush()
		<-q.Context().Done()
	})
	var all atomic.Bool
	c := channel.NewClient(channel.Options{Host: "h1", Hooks: channel.Hooks{Directory: all.Load}, Masters: func(context.Context) []string { return []string{url} },
		HTTP: channel.NewHTTP(nil), Log: slog.New(slog.DiscardHandler)})
	c.Again()                                                      // while there is no netmaster
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // shorter than the timeout of a silent netmaster
	defer cancel()
	replies := 0
	for _, err := range c.Follow(ctx) {
		if err != nil {
			t.Fatalf("want no outage, got %v", err)
		}
		if replies++; replies == 2 {
			break
		}
		all.Store(true)
		c.Again()
	}
	if replies != 2 {
		t.Fatal("want another hello at once")
	}
	first, second := <-hellos, <-hellos
	if first.Directory || first.Mark.Revision != 0 || !second.Directory || second.Mark.Revision != 5 {
		t.Errorf("want the directory requested from revision 5, got %+v and then %+v", first, second)
	}
}

// An agent reports what it holds of what it received on the same stream, when the netmaster knew all, and the digests only where they are
// others than before.
func TestHeld(t *testing.T) {
	at := &switched{at: 1, moved: make(chan struct{})}
	reports, tell, broke := make(chan channel.Report, 100), make(chan channel.Mark), make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, q *http.Request) {
		body := json.NewDecoder(q.Body)
		var hello channel.Hello
		if err := body.Decode(&hello); err != nil {
			t.Error(err)
		}
		out := http.NewResponseController(w)
		_ = out.Flush()
		go func() {
			for {
				var r channel.Report
				if body.Decode(&r) != nil {
					return
				}
				reports <- r
			}
		}()
		for {
			select {
			case mark := <-tell:
				_, _ = w.Write(channel.EncodeMark(mark, nil))
				_ = out.Flush()
			case <-broke:
				return
			case <-q.Context().Done():
				return
			}
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := channel.NewClient(channel.Options{Host: "h1", Masters: func(context.Context) []string { return []string{url} }, Hooks: channel.Hooks{Reporter: at}, HTTP: channel.NewHTTP(nil), Log: slog.New(slog.DiscardHandler)})
	held := map[channel.Shard]channel.Digest{channel.Cluster: 7}
	taken := make(chan channel.Mark)
	go func() {
		defer close(taken)
		for b, err := range c.Follow(ctx) {
			if err == nil {
				at.take(b.Mark, held)
				taken <- b.Mark
			}
		}
	}()
	next := func() (r channel.Report) {
		t.Helper()
		select {
		case r = <-reports:
		case <-ctx.Done():
			t.Fatal("want a report")
		}
		return r
	}
	until := func(step uint64) (digests map[channel.Shard]channel.Digest) {
		t.Helper()
		for {
			if r := next(); r.Step == step {
				return r.Digests
			} else if r.Step != 0 && r.Step > step {
				t.Fatalf("want step %d reported, got %d", step, r.Step)
			}
		}
	}
	tell <- channel.Mark{Revision: 5, Complete: 5, Step: 3}
	<-taken
	if got := until(3); got[channel.Cluster] != 7 {
		t.Errorf("want what it holds, got %v", got)
	}
	tell <- channel.Mark{Revision: 6, Complete: 5, Step: 4}
	<-taken
	tell <- channel.Mark{Revision: 6, Complete: 6, Step: 5}
	<-taken
	if got := until(5); got != nil {
		t.Errorf("as before: want no digests, got %v", got)
	}
	broke <- struct{}{}
	for last := (channel.Report{Step: 5}); last.Step != 0; { // reports that were in flight
		last = next()
	}
	for range 3 {
		if r := next(); r.Step != 0 {
			t.Errorf("on another stream: want nothing of the previous one, got step %d", r.Step)
		}
	}
	tell <- channel.Mark{Revision: 6, Complete: 6, Step: 2}
	<-taken
	if got := until(2); got[channel.Cluster] != 7 {
		t.Errorf("on another stream: want what it holds, got %v", got)
	}
	cancel()
	for range taken {
	}
}
