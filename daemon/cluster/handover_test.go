// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// bequeath writes the successor of a term, under the term's fence, and ends the term.
func bequeath(p *process, t Term, to string) error {
	p.Helper()
	h := Successor{From: p.c.ID, To: to, Term: t.Fence.Created, By: "ann"}
	value, err := json.Marshal(h)
	if err != nil {
		p.Fatal(err)
	}
	var tx store.Tx
	tx.Under(t.Fence)
	tx.Put(record.SuccessorKey, value)
	if _, err := p.db.Commit(p.Context(), &tx); err != nil {
		p.Fatal(err)
	}
	return p.StepDown(p.Context(), h)
}

// The named successor gets the lock before all other waiting processes, every time; the old leader's fence is no longer valid.
func TestHandOver(t *testing.T) {
	db := memory.New()
	all := []*process{contend(t, db, "", 0)}
	term := all[0].await("leading", all[0].terms)
	for range 3 {
		all = append(all, contend(t, db, "", 0))
	}
	for _, p := range all[1:] {
		p.follows(all[0])
	}
	leader := 0
	for _, next := range []int{2, 1, 3, 0} {
		if err := bequeath(all[leader], term, all[next].c.ID); err != nil {
			t.Fatal(err)
		}
		if err := write(all[leader], term); err == nil {
			t.Error("want the fence of the previous term not to hold any more")
		}
		term = all[next].await("leading", all[next].terms)
		if want := "handed over by " + all[leader].c.ID + ", asked by ann"; term.Why != want {
			t.Errorf("want %q, got %q", want, term.Why)
		}
		for i, p := range all {
			if i != next {
				p.follows(all[next])
			}
		}
		leader = next
	}
}

// The processes wait only a moment for a successor that is gone; a process ends only its own term.
func TestHeirThatDoesNotCome(t *testing.T) {
	db := memory.New()
	one := contend(t, db, "", 0)
	term := one.await("leading", one.terms)
	two := contend(t, db, "", 0)
	two.follows(one)
	if err := two.StepDown(t.Context(), Successor{Term: term.Fence.Created}); err == nil || !strings.Contains(err.Error(), "not this process's") {
		t.Errorf("a follower: want a refusal, got %v", err)
	}
	if err := one.StepDown(t.Context(), Successor{Term: term.Fence.Created + 1}); err == nil {
		t.Error("another term: want a refusal")
	}
	if err := bequeath(one, term, "192.0.2.1:9"); err != nil {
		t.Fatal(err)
	}
	var next Term
	select {
	case next = <-one.terms:
	case next = <-two.terms:
	case <-t.Context().Done():
	}
	if next.Why != vacant {
		t.Errorf("want the lock found free, got %q", next.Why)
	}
}

// A malformed record of a successor has no effect.
func TestHeirThatCannotBeRead(t *testing.T) {
	db := memory.New()
	one := contend(t, db, "", 0)
	term := one.await("leading", one.terms)
	two := contend(t, db, "", 0)
	two.follows(one)
	var tx store.Tx
	tx.Under(term.Fence)
	tx.Put(record.SuccessorKey, []byte("{"))
	if _, err := one.db.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	one.stop()
	two.await("leading", two.terms)
}

// A process that may not lead releases the lock, and does not contend for it until it may again.
func TestBarred(t *testing.T) {
	db := memory.New()
	one := contend(t, db, "", 0)
	term := one.await("leading", one.terms)
	two := contend(t, db, "", 0)
	two.follows(one)
	one.bar("its certificate is revoked")
	second := two.await("leading", two.terms)
	if err := write(one, term); err == nil {
		t.Error("want the fence of the one that is barred not to hold any more")
	}
	one.follows(two)
	two.bar("its certificate is revoked, too")
	two.await("the end", two.ended)
	for before, tick := one.asked.Load(), time.NewTicker(10*time.Millisecond); one.asked.Load() < before+3; { // it has had the occasion
		<-tick.C
	}
	if _, leads := one.Term(); leads {
		t.Error("one leads that is barred")
	}
	one.bar("")
	if third := one.await("leading", one.terms); third.Fence.Created <= second.Fence.Created {
		t.Errorf("got term %d after %d", third.Fence.Created, second.Fence.Created)
	}
}
