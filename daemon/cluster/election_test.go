// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/daemon/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const timeout = 20 * time.Second

// process is a contender with an address where it listens, as a netmaster does.
type process struct {
	testing.TB
	*Election
	db     *memory.Store
	listen net.Listener
	mu     sync.Mutex
	conns  []net.Conn
	terms  chan Term    // begun
	ended  chan Term    // ended
	barred atomic.Value // why it may not lead, a string
	asked  atomic.Int64 // how often it has looked for that
	failed error        // what Lead answers at once; nil: it leads until its term ends
	cancel func()
	done   chan struct{}
}

// contend starts a process. If id is "", it is the process's address.
func contend(tb testing.TB, db *memory.Store, id string, ttl time.Duration) *process {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	if id == "" {
		id = l.Addr().String()
	}
	p := &process{
		TB: tb, db: db.Open(), listen: l, terms: make(chan Term, 10), ended: make(chan Term, 10), done: make(chan struct{}),
	}
	go p.accept()
	p.Election = NewElection(ElectionConfig{
		Store: p.db, Key: record.LeaderKey, History: record.TermsKey, Successor: record.SuccessorKey, ID: id, TTL: ttl,
		Excluded: func() string { p.asked.Add(1); why, _ := p.barred.Load().(string); return why },
		Log:      slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() { defer close(p.done); _ = p.Leading(p.lead).Run(ctx) }()
	tb.Cleanup(func() { p.stop(); p.silence() })
	return p
}

// bar sets the reason why the process may not lead; "": it may.
func (p *process) bar(why string) { p.barred.Store(why) }

func (p *process) accept() {
	for {
		c, err := p.listen.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.conns = append(p.conns, c)
		p.mu.Unlock()
	}
}

func (p *process) lead(ctx context.Context, t Term) error {
	p.terms <- t
	if p.failed != nil {
		return p.failed
	}
	<-ctx.Done()
	p.ended <- t
	return nil
}

// silence closes the process's listener and its connections.
func (p *process) silence() {
	_ = p.listen.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// kill has the effect of a SIGKILL on the other processes.
func (p *process) kill() { p.db.Away(); p.silence() }

// stop is an orderly shutdown.
func (p *process) stop() { p.cancel(); <-p.done }

func (p *process) await(what string, terms <-chan Term) Term {
	p.Helper()
	select {
	case t := <-terms:
		return t
	case <-time.After(timeout):
		p.Fatalf("%s: %s did not happen within %s", p.c.ID, what, timeout)
		return Term{}
	}
}

// follows waits until the process sees another one lead.
func (p *process) follows(leader *process) {
	p.Helper()
	end := time.After(timeout)
	for {
		changed := p.Changed()
		if h := p.Holder(); h.Address == leader.c.ID && !h.Self {
			return
		}
		select {
		case <-changed:
		case <-end:
			p.Fatalf("%s: want it to follow %s, got %+v", p.c.ID, leader.c.ID, p.Holder())
		}
	}
}

// write commits under a term's fence.
func write(p *process, t Term) error {
	var tx store.Tx
	tx.Under(t.Fence)
	tx.Put("/x", []byte(t.Leader))
	_, err := p.db.Commit(context.Background(), &tx)
	return err
}

// LCK-01: the second process has the lock as soon as the first releases it.
func TestResign(t *testing.T) {
	db := memory.New()
	a := contend(t, db, "", time.Hour)
	term := a.await("leading", a.terms)
	if err := write(a, term); err != nil {
		t.Error(err)
	}
	if h := a.Holder(); !h.Self || h.Address != a.c.ID || h.Created != term.Fence.Created {
		t.Errorf("holder: got %+v", h)
	}
	<-a.Ready()
	b := contend(t, db, "", time.Hour)
	b.follows(a)
	a.stop()
	a.await("end of term", a.ended)
	second := b.await("leading", b.terms)
	if second.Fence.Created <= term.Fence.Created {
		t.Errorf("terms grow: got %d after %d", second.Fence.Created, term.Fence.Created)
	}
	if err := write(a, term); !errors.Is(err, store.ErrFenced) {
		t.Errorf("old leader's write: want %v, got %v", store.ErrFenced, err)
	}
	if _, ok := a.Term(); ok {
		t.Error("a stopped process has no term")
	}
	if got, ok := b.Term(); !ok || got != second {
		t.Errorf("term: want %+v, got %+v", second, got)
	}
	if got := b.Terms(); len(got) != 2 || got[0].Leader != a.c.ID || got[1].Leader != b.c.ID {
		t.Errorf("terms that b saw: got %+v", got)
	}
}

// TestKill detects a dead leader long before its lock expires.
func TestKill(t *testing.T) {
	db := memory.New()
	a := contend(t, db, "", time.Hour)
	a.await("leading", a.terms)
	b, c := contend(t, db, "", time.Hour), contend(t, db, "", time.Hour)
	for _, p := range []*process{b, c} {
		p.follows(a)
		p.connected(a)
	}
	a.kill()
	select {
	case term := <-b.terms:
		c.follows(b)
		if err := write(b, term); err != nil {
			t.Error(err)
		}
	case term := <-c.terms:
		b.follows(c)
		if err := write(c, term); err != nil {
			t.Error(err)
		}
	case <-time.After(timeout):
		t.Fatal("no one took over")
	}
}

// connected waits until the process's probe has reached the leader.
func (p *process) connected(leader *process) {
	p.Helper()
	for end := time.Now().Add(timeout); time.Now().Before(end); {
		leader.mu.Lock()
		n := len(leader.conns)
		leader.mu.Unlock()
		if n > 0 {
			return
		}
		<-time.After(time.Millisecond)
	}
	p.Fatalf("no probe of %s", leader.c.ID)
}

// TestPause has a leader whose process runs, but cannot reach the store: the lock expires, and the writes of the old leader are refused when
// it wakes. LCK-03: a holder that does not refresh is replaced.
func TestPause(t *testing.T) {
	db := memory.New()
	a := contend(t, db, "", 300*time.Millisecond)
	term := a.await("leading", a.terms)
	b := contend(t, db, "", 300*time.Millisecond)
	b.follows(a)
	a.db.Away()
	b.await("leading", b.terms)
	a.db.Back()
	if err := write(a, term); !errors.Is(err, store.ErrFenced) {
		t.Errorf("paused leader's write: want %v, got %v", store.ErrFenced, err)
	}
	a.await("end of term", a.ended)
	a.follows(b)
}

// TestRestart has a process that finds its own address in the lock.
func TestRestart(t *testing.T) {
	db := memory.New()
	a := contend(t, db, "127.0.0.1:1", time.Hour)
	term := a.await("leading", a.terms)
	a.kill()
	again := contend(t, db, "127.0.0.1:1", time.Hour)
	second := again.await("leading", again.terms)
	if err := write(&process{db: db}, term); !errors.Is(err, store.ErrFenced) {
		t.Errorf("write of the first incarnation: want %v, got %v", store.ErrFenced, err)
	}
	if err := write(again, second); err != nil {
		t.Error(err)
	}
}

// TestUnreachableLeaderStays has followers that cannot connect to the leader at all: they must not take its lock.
func TestUnreachableLeaderStays(t *testing.T) {
	db := memory.New()
	a := contend(t, db, "", time.Hour)
	a.await("leading", a.terms)
	a.silence()
	b := contend(t, db, "", time.Hour)
	b.follows(a)
	refused := 0
	dial := b.c.Dial
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	counting := func(ctx context.Context, network, address string) (net.Conn, error) {
		if refused++; refused > 2*probeRefusals {
			cancel()
		}
		return dial(ctx, network, address)
	}
	if probe(ctx, counting, a.c.ID) {
		t.Error("a process that was never reached counts as dead")
	}
	if h := b.Holder(); h.Address != a.c.ID {
		t.Errorf("holder: want %s, got %+v", a.c.ID, h)
	}
}

// TestStoreAway starts without a store, and loses it later.
func TestStoreAway(t *testing.T) {
	db := memory.New()
	p := contend(t, db, "", 200*time.Millisecond)
	p.await("leading", p.terms)
	p.db.Away()
	p.await("end of term", p.ended)
	p.db.Back()
	p.await("leading again", p.terms)
}

func TestLoseAnswer(t *testing.T) {
	db := memory.New()
	a := contend(t, db, "", time.Hour)
	a.await("leading", a.terms)
	b := contend(t, db, "", time.Hour)
	b.follows(a)
	b.db.LoseAnswers(1) // b takes the lock without knowing
	a.stop()
	b.await("leading", b.terms)
}

func TestLeadFails(t *testing.T) {
	db := memory.New()
	p := &process{TB: t, terms: make(chan Term, 10), failed: errors.New("cannot load")}
	e := NewElection(ElectionConfig{Store: db, Key: "lock", ID: "a:1", Log: slog.New(slog.DiscardHandler)})
	p.Election = e
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- e.Leading(p.lead).Run(ctx) }()
	first, second := p.await("leading", p.terms), p.await("leading again", p.terms)
	if second.Fence.Created <= first.Fence.Created {
		t.Errorf("want a new term, got %d after %d", second.Fence.Created, first.Fence.Created)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := db.Read(t.Context(), "lock"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the lock is given back: want %v, got %v", store.ErrNotFound, err)
	}
}

func TestHistory(t *testing.T) {
	db := memory.New()
	for i := range historyLen + 5 {
		var tx store.Tx
		tx.Delete("lock")
		if _, err := db.Commit(t.Context(), &tx); err != nil {
			t.Fatal(err)
		}
		tx = store.Tx{}
		tx.Put("lock", nil)
		rev, err := db.Commit(t.Context(), &tx)
		if err != nil {
			t.Fatal(err)
		}
		term := Term{Leader: string(rune('a' + i)), Fence: store.Fence{Key: "lock", Created: rev}}
		if err := enter(t.Context(), db, "terms", term); err != nil {
			t.Fatal(err)
		}
	}
	terms, err := History(t.Context(), db, "terms")
	if err != nil || len(terms) != historyLen || terms[historyLen-1].Leader != string(rune('a'+historyLen+4)) {
		t.Errorf("want the last %d, got %d: %+v (%v)", historyLen, len(terms), terms, err)
	}
	var tx store.Tx
	tx.Put("terms", []byte("{"))
	if _, err := db.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	if _, err := History(t.Context(), db, "terms"); err == nil {
		t.Error("a list that is not JSON: want an error")
	}
	if err := enter(t.Context(), db, "terms", terms[historyLen-1]); err != nil {
		t.Errorf("a list that is not JSON is replaced: got %v", err)
	}
}

// A store that has used up its quota keeps its leader. If the leader ends, no other process can replace it, and logs why, until there is
// space.
func TestFullStore(t *testing.T) {
	db := memory.New()
	a := contend(t, db, "", 300*time.Millisecond)
	term := a.await("leading", a.terms)
	b := contend(t, db, "", 300*time.Millisecond)
	b.follows(a)
	db.Fill(0)
	time.Sleep(time.Second) // longer than the lock lives when nobody refreshes it
	if got, ok := a.Term(); !ok || got != term || b.Starved() {
		t.Errorf("want the term to continue, got %+v, %t", got, b.Starved())
	}
	a.stop()
	a.await("end of term", a.ended)
	err := storetest.Eventually(timeout, func() error {
		if !b.Starved() {
			return errors.New("no one says that there is no space to begin a term")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	db.Drain()
	b.await("leading", b.terms)
	if b.Starved() {
		t.Error("a leader is still said to lack")
	}
}
