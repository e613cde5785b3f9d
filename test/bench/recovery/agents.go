package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/etcd"
	"github.com/contiv/contiv/test/bench/report"
)

// limit is how long the agents of the largest round may take from the store's first answer, and patience how long is waited.
const (
	limit    = 5 * time.Second
	patience = 90 * time.Second
	atOnce   = 8 // how many agents start at a time
)

// round is what is measured: so many agents that watch so many endpoints.
type round struct{ agents, endpoints int }

func parse(text string) (out []round, err error) {
	for part := range strings.SplitSeq(text, ",") {
		agents, endpoints, _ := strings.Cut(part, ":")
		var r round
		var wrong [2]error
		r.agents, wrong[0] = strconv.Atoi(agents)
		r.endpoints, wrong[1] = strconv.Atoi(endpoints)
		if err := errors.Join(wrong[:]...); err != nil {
			return nil, fmt.Errorf("round %q: want AGENTS:ENDPOINTS: %w", part, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// figures are of one round.
type figures struct {
	down, answered  time.Duration // since the kill: until the start, until the first answer
	back            []time.Duration
	lists, failures int
	sent            float64 // bytes
}

func (f *figures) rows(r round, t *report.Table) {
	what := fmt.Sprintf("%d agents, %d endpoints", r.agents, r.endpoints)
	took, met := "never", false
	if len(f.back) == r.agents {
		last := report.Percentile(f.back, 100)
		took, met = fmt.Sprintf("%.1f s", last.Seconds()), last-f.answered <= limit
	}
	t.Add(report.Row{What: what + ": all back after the kill", Ours: took, Met: met,
		Target: fmt.Sprintf("%.1f s + %s", f.answered.Seconds(), limit)})
	t.Add(report.Row{What: "... half of them", Ours: fmt.Sprintf("%.1f s", report.Median(f.back).Seconds()), Met: true})
	t.Add(report.Row{What: "... lists taken in; outages told; sent by the server",
		Ours: fmt.Sprintf("%d; %d; %.1f MB", f.lists, f.failures, f.sent/1e6), Target: "0 lists", Met: f.lists == 0})
}

// agent is towards the store what netplugin is: a client with the watches of its state and of its members. It keeps nothing.
type agent struct {
	mu    sync.Mutex
	away  int // of its watches
	back  time.Time
	lists int
	fails int
}

var watched = []string{record.State, record.Config, record.Services, record.Services}

func (a *agent) run(ctx context.Context, db store.Store) {
	a.away = len(watched)
	for _, prefix := range watched {
		go a.watch(ctx, db, prefix)
	}
}

func (a *agent) watch(ctx context.Context, db store.Store, prefix string) {
	away := true
	for u, err := range db.Watch(ctx, prefix) {
		a.mu.Lock()
		switch {
		case err != nil && !away:
			away = true
			a.away++
			a.fails++
		case err == nil && away:
			away = false
			a.away--
			a.back = time.Now()
		}
		if u.Full {
			a.lists++
		}
		a.mu.Unlock()
	}
}

func measure(ctx context.Context, r round) (*figures, error) {
	dir, err := os.MkdirTemp("", "contiv-bench")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := newServer(dir)
	if err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	defer func() { s.kill() }()
	db, err := etcd.Open(etcd.Config{Endpoints: []string{s.client}})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := answer(ctx, db); err != nil {
		return nil, err
	}
	if err := fill(ctx, db, r); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	agents, err := begin(ctx, s, r)
	if err != nil {
		return nil, err
	}
	f := &figures{}
	killed := time.Now()
	s.kill()
	for {
		if n, _ := returned(agents, killed); n == 0 && told(agents) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.down = time.Since(killed)
	if err := s.start(); err != nil {
		return nil, err
	}
	if err := answer(ctx, db); err != nil {
		return nil, err
	}
	f.answered = time.Since(killed)
	for end := time.Now().Add(patience); ; {
		n, back := returned(agents, killed)
		if f.back = back; n == len(agents) || time.Now().After(end) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, a := range agents {
		a.mu.Lock()
		f.lists, f.failures = f.lists+a.lists-len(watched), f.failures+a.fails
		a.mu.Unlock()
	}
	f.sent, err = s.sent()
	return f, err
}

// begin starts the agents, a few at a time, and waits until all know everything.
func begin(ctx context.Context, s *server, r round) ([]*agent, error) {
	agents := make([]*agent, r.agents)
	for i := range agents {
		db, err := etcd.Open(etcd.Config{Endpoints: []string{s.client}})
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = db.Close() })
		agents[i] = &agent{}
		agents[i].run(ctx, db)
		for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
			if n, _ := returned(agents[:i+1], time.Time{}); i+1-n < atOnce {
				break
			}
			if time.Now().After(end) {
				return nil, fmt.Errorf("agent %d does not get its first lists", i)
			}
		}
	}
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if n, _ := returned(agents, time.Time{}); n == len(agents) {
			return agents, nil
		}
		if time.Now().After(end) {
			return nil, errors.New("the agents do not get their first lists")
		}
	}
}

// returned are the agents none of whose watches is away, and when after a moment they came back.
func returned(agents []*agent, after time.Time) (n int, back []time.Duration) {
	for _, a := range agents {
		a.mu.Lock()
		if a.away == 0 && a.back.After(after) {
			n++
			back = append(back, a.back.Sub(after))
		}
		a.mu.Unlock()
	}
	return n, back
}

// told reports whether all watches of all agents have been told that the store is away.
func told(agents []*agent) bool {
	for _, a := range agents {
		a.mu.Lock()
		away := a.away
		a.mu.Unlock()
		if away < len(watched) {
			return false
		}
	}
	return true
}

// answer waits until the store answers.
func answer(ctx context.Context, db store.Store) error {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		rctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		_, err := db.Read(rctx, record.GlobalKey)
		cancel()
		if err == nil || errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if time.Now().After(end) {
			return err
		}
	}
}

// fill puts what agents watch.
func fill(ctx context.Context, db store.Store, r round) error {
	var tx store.Tx
	n := 0
	put := func(key, value string) error {
		tx.Put(key, []byte(value))
		if n++; n < db.Limits().Ops {
			return nil
		}
		_, err := db.Commit(ctx, &tx)
		tx, n = store.Tx{}, 0
		return err
	}
	if err := put(record.GlobalKey, `{"fwdMode":"bridge"}`); err != nil {
		return err
	}
	for i := range r.endpoints {
		id := fmt.Sprintf("net%d.default-%064d", i%20, i)
		err := put(record.Endpoints+id, fmt.Sprintf(`{"id":%q,"netID":"net%d.default","endpointID":"%064d","containerId":"%064d","epCommonName":"",`+
			`"ipAddress":"10.%d.%d.%d","macAddress":"02:02:0a:%02x:%02x:%02x","homingHost":"h%d","vtepIP":"192.168.1.%d","serviceName":"web","endpointGroupKey":"web:default"}`,
			id, i%20, i, i, i%20, i/250%250, i%250, i%20, i/250%250, i%250, i%r.agents, i%250))
		if err != nil {
			return err
		}
	}
	for i := range 2 * r.agents {
		key := fmt.Sprintf("%snetplugin/192.168.%d.%d:%d", record.Services, i/500, i/2%250, 9090+i%2)
		err := put(key, fmt.Sprintf(`{"serviceName":"netplugin","role":"","version":"bench","ttl":10,"hostAddr":"192.168.%d.%d","port":%d,"hostname":"h%d"}`, i/500, i/2%250, 9090+i%2, i/2))
		if err != nil {
			return err
		}
	}
	_, err := db.Commit(ctx, &tx)
	return err
}
