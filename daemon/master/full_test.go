// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store/memory"
)

// A store that has used up its quota stops changes, which are refused at once with what to do, by a follower too, and nothing else: the term
// continues and serves its state, and accepts changes again once there is space.
func TestFullStore(t *testing.T) {
	ctx := t.Context()
	db := memory.New()
	one := start(t, db)
	until(t, "the first leads", func() bool { return one.role() == "leader" })
	two := start(t, db)
	until(t, "the second follows", func() bool { return two.role() == "follower" })
	if _, err := two.Networks().Put(ctx, network(0)); err != nil {
		t.Fatal(err)
	}
	before, err := one.Leadership(ctx)
	if err != nil {
		t.Fatal(err)
	}
	db.Fill(0)
	for name, p := range map[string]*process{"the leader": one, "a follower": two} {
		asked := time.Now()
		_, err := p.Networks().Put(ctx, network(1))
		var refusal *model.Error
		if !errors.As(err, &refusal) || refusal.Code != model.CodeNoSpace || !strings.Contains(refusal.Error(), "etcdctl alarm disarm") {
			t.Errorf("%s: want %s with what to do, got %v", name, model.CodeNoSpace, err)
		}
		if took := time.Since(asked); took > 4*time.Second {
			t.Errorf("%s: refused after %s, as if nobody led", name, took)
		}
		if list, err := p.Networks().List(ctx); err != nil || len(list) != 1 {
			t.Errorf("%s: want the network that there is, got %v, %v", name, list, err)
		}
	}
	time.Sleep(3 * time.Second) // the lock is not refreshed for longer than it lives, if it is not refreshed
	db.Drain()
	if _, err := two.Networks().Put(ctx, network(1)); err != nil {
		t.Errorf("with space again: %v", err)
	}
	if after, err := one.Leadership(ctx); err != nil || after.Term != before.Term {
		t.Errorf("want term %d to continue, got %d, %v", before.Term, after.Term, err)
	}
}
