// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store/memory"
)

func (p *process) address() string { return strings.TrimPrefix(p.Base, "http://") }

// The leader hands over to the requested netmaster, while others write: no write is lost or refused, and the history has the requester.
func TestHandOver(t *testing.T) {
	ctx := context.Background()
	db := memory.New()
	all := []*process{start(t, db)}
	until(t, "the first leads", func() bool { return all[0].role() == "leader" })
	all = append(all, start(t, db), start(t, db))
	until(t, "the others follow", func() bool { return all[1].role() == "follower" && all[2].role() == "follower" })
	until(t, "each knows all", func() bool {
		return !slices.ContainsFunc(all, func(p *process) bool {
			nodes, err := p.Nodes(ctx)
			return err != nil || len(nodes) != len(all) || slices.ContainsFunc(nodes, func(n model.Node) bool { return !n.Ready })
		})
	})
	for _, p := range all {
		p.Actor = func() string { return "ann" }
	}
	writing, stop := context.WithCancel(ctx)
	defer stop()
	var wait sync.WaitGroup
	made := make([]int, len(all))
	for i, p := range all {
		wait.Go(func() {
			for n := 0; writing.Err() == nil; n++ {
				if _, err := p.Policys().Put(ctx, &model.Policy{TenantName: "default", PolicyName: fmt.Sprintf("p%d-%d", i, n)}); err != nil {
					t.Errorf("a write during the handover, through master %d: %v", i, err)
					return
				}
				made[i]++
			}
		})
	}
	leader := 0
	for _, next := range []int{2, 0, 1} {
		through := all[(next+1)%3] // any master takes the request
		out, err := through.HandOver(ctx, model.HandoverRequest{To: all[next].address()})
		if err != nil {
			t.Fatalf("to %d: %v", next, err)
		}
		if out.From != all[leader].address() || out.To != all[next].address() || all[next].role() != "leader" {
			t.Errorf("want %s to lead after %s, got %+v and it is %s", all[next].address(), all[leader].address(), out, all[next].role())
		}
		leader = next
	}
	stop()
	wait.Wait()
	list, err := all[leader].Policys().List(ctx) // a follower may know the last ones of the others later
	if err != nil || len(list) != made[0]+made[1]+made[2] {
		t.Errorf("want %v policies, got %d, %v", made, len(list), err)
	}
	l, err := all[0].Leadership(ctx)
	if err != nil || len(l.Terms) != 4 || !strings.HasPrefix(l.Terms[3].Why, "handed over by "+all[0].address()+", asked by ") {
		t.Errorf("want four terms and why the last began, got %+v, %v", l.Terms, err)
	}
	if brief, err := all[0].Lead(ctx); err != nil || brief.Holder != l.Holder || len(brief.Terms) != 0 || len(brief.Leases) != 1 {
		t.Errorf("in brief: want the holder %s and one lease, got %+v, %v", l.Holder, brief, err)
	}
	entries, err := all[0].History(ctx, client.HistoryQuery{Kind: "leadership"})
	if err != nil || len(entries) != 3 || entries[2].Verb != "update" {
		t.Errorf("want three handovers in the history, got %+v, %v", entries, err)
	}
}

// An impossible handover is refused before anything is changed.
func TestHandOverRefused(t *testing.T) {
	ctx := context.Background()
	db := memory.New()
	one := start(t, db)
	until(t, "it leads", func() bool { return one.role() == "leader" })
	refused := func(to, want string) {
		t.Helper()
		if out, err := one.HandOver(ctx, model.HandoverRequest{To: to}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("to %q: want a refusal with %q, got %+v, %v", to, want, out, err)
		}
	}
	refused("", "there is no other netmaster")
	refused("absent", `no netmaster is called "absent"`)
	if out, err := one.HandOver(ctx, model.HandoverRequest{To: one.address()}); err != nil || out.To != one.address() {
		t.Errorf("to itself: want that it leads already, got %+v, %v", out, err)
	}
	two := start(t, db)
	until(t, "the other follows", func() bool { return two.role() == "follower" && len(masters(t, one)) == 2 })
	two.db.Away() // it learns nothing of what happens
	if _, err := one.Networks().Put(ctx, network(1)); err != nil {
		t.Fatal(err)
	}
	refused(two.address(), "cannot lead now")
	refused("", "cannot lead now")
	if one.role() != "leader" {
		t.Error("want it to lead on")
	}
}

func masters(t *testing.T, p *process) (out []string) {
	nodes, err := p.Nodes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		out = append(out, n.Address)
	}
	return out
}
