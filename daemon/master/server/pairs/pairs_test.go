// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/server/peer"
)

// All netmasters know the same: of two that do not reach each other, and of one that has ended.
func TestSameEverywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := map[string]*Pairs{}
		cut := map[string]bool{m1 + m3: true, m3 + m1: true}
		var mu sync.Mutex
		ask := func(from string) func(context.Context, string) (sample, error) {
			return func(ctx context.Context, to string) (sample, error) {
				mu.Lock()
				lost := cut[from+to]
				mu.Unlock()
				if lost {
					pause(ctx, probeTimeout)
					return sample{}, os.ErrDeadlineExceeded
				}
				pause(ctx, 10*time.Millisecond)
				return sample{roundTrip: 10 * time.Millisecond, clock: true, rows: all[to].table.snapshot(time.Now()).Rows}, nil
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for _, own := range []string{m1, m2, m3} {
			p := New(Config{Own: own, Log: slog.New(slog.DiscardHandler), Expected: func() (out []string) {
				for _, other := range []string{m1, m2, m3} {
					if other != own {
						out = append(out, other)
					}
				}
				return out
			}})
			p.measure, p.arrives = ask(own), func(address string) bool { return own == m1 && address == m3 }
			all[own] = p
		}
		last, end := context.WithCancel(ctx)
		defer end()
		var runs sync.WaitGroup
		defer runs.Wait()
		for own, p := range all {
			with := ctx
			if own == m3 {
				with = last
			}
			runs.Go(func() { _ = p.Run(with) })
		}
		<-time.After(12 * time.Second)
		synctest.Wait()
		var want []string
		for _, own := range []string{m2, m1, m3} {
			var got []string
			for _, r := range all[own].table.snapshot(time.Now()).Rows {
				for _, p := range r.Peers {
					got = append(got, fmt.Sprintf("%s %s %s %t", r.From, p.To, p.State, p.Arrives))
				}
			}
			if want == nil {
				want = got
			}
			if !reflect.DeepEqual(got, want) || len(got) != 6 {
				t.Errorf("%s: want %q, got %q", own, want, got)
			}
			if text := strings.Join(got, "; "); !strings.Contains(text, m1+" "+m3+" silent true") || !strings.Contains(text, m3+" "+m1+" silent false") || !strings.Contains(text, m2+" "+m3+" reached false") {
				t.Errorf("%s: want the cut between %s and %s, got %q", own, m1, m3, got)
			}
		}
		end()
		mu.Lock()
		cut[m1+m3], cut[m2+m3] = true, true
		mu.Unlock()
		<-time.After(20 * time.Second)
		synctest.Wait()
		for _, r := range all[m1].table.snapshot(time.Now()).Rows {
			if old := r.AgeMillis > 10000; old != (r.From == m3) {
				t.Errorf("want only the row of the one that has ended to be old, got %+v", r)
			}
		}
		cancel()
	})
}

// pause blocks until a time has passed or ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// A netmaster is measured by a request: its round trip without the connection, and its clock.
func TestMeasure(t *testing.T) {
	status, text := http.StatusOK, ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != Path {
			http.NotFound(w, q)
			return
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	defer s.Close()
	address := s.Listener.Addr().String()
	p := &prober{peer.Transport{}.Straight()}
	text = `{"at":"` + time.Now().Add(time.Hour).Format(time.RFC3339Nano) + `","rows":[{"from":"` + m2 + `","peers":[]}]}`
	got, err := p.measure(t.Context(), address)
	if err != nil || !got.clock || got.roundTrip <= 0 || len(got.rows) != 1 || (got.ahead-time.Hour).Abs() > time.Minute {
		t.Errorf("want an hour ahead, got %+v, %v", got, err)
	}
	if found := result(got, err); found.State != model.PairReached || found.Reason != "" {
		t.Errorf("got %+v", found)
	}
	status, text = http.StatusServiceUnavailable, "netmaster waits for room"
	got, err = p.measure(t.Context(), address)
	if found := result(got, err); found.State != model.PairReached || got.clock || !strings.Contains(found.Reason, "waits for room") {
		t.Errorf("one that waits: got %+v, %+v", found, got)
	}
	s.Close()
	got, err = p.measure(t.Context(), address)
	if found := result(got, err); found.State != model.PairRefused {
		t.Errorf("one that does not run: got %+v", found)
	}
}

func TestResult(t *testing.T) {
	for want, errs := range map[model.PairState][]error{
		model.PairRefused:   {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}},
		model.PairSilent:    {context.DeadlineExceeded, os.ErrDeadlineExceeded, &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, &net.OpError{Op: "read", Err: syscall.ETIMEDOUT}},
		model.PairUntrusted: {errors.New("remote error: tls: bad certificate"), errors.New("the certificate of spiffe://contiv/master/h2 expired at 2026-01-01")},
		model.PairFailed:    {io.ErrUnexpectedEOF, errors.New("server gave HTTP response to HTTPS client")},
	} {
		for _, err := range errs {
			if got := result(sample{}, err); got.State != want || got.Reason == "" {
				t.Errorf("%v: want %s, got %+v", err, want, got)
			}
		}
	}
}
