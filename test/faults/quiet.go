// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/contiv/contiv/api/model"
)

// quietMoves are the changes of a time without faults: $N is a number that grows, $A a host.
var quietMoves = []string{
	`container $A churn$N blue; until_ok lab ping churn$N blue-$B -c 1; remove churn$N`,
	`container $A churn$N blue --group db; remove churn$N`,
	`container $A churn$N green; until_ok lab ping churn$N green-$B -c 1; remove churn$N`,
	`netctl policy rule-add shut 100 --direction in --protocol tcp --port $((1000 + N % 60000)) --action allow; netctl policy rule-rm shut 100`,
	`netctl policy create p$N; netctl policy rule-add p$N 1 --direction out --protocol udp --port 53 --action allow; netctl group create blue g$N -p p$N; container $A churn$N blue --group g$N; remove churn$N; until_ok netctl group rm g$N; netctl policy rm p$N`,
	`netctl network create net$N --subnet 10.9.$((N % 250)).0/24 --encap vxlan; container $A churn$N net$N; remove churn$N; until_ok netctl network rm net$N`,
	`for i in 1 2 3; do container $A churn$N-$i blue; done; for i in 1 2 3; do remove churn$N-$i; done`,
}

// quietLooks is how often status is asked.
const quietLooks = time.Second

// quiet makes changes for a time, and asks for findings all along. Each finding that is more than a note is a failure; so is one in the timeline.
func (t *trials) quiet(ctx context.Context, o options) (tried, failed int, err error) {
	until := time.Now().Add(o.quiet)
	looking, stop := context.WithCancel(ctx)
	seen := make(chan map[string]bool, 1)
	go func() { seen <- t.watch(looking) }()
	r := rand.New(rand.NewPCG(o.seed, 2))
	all := places(t.shell.lab.HostList())
	for n := 0; time.Now().Before(until) && ctx.Err() == nil; n++ {
		if err := t.shell.run(ctx, all[r.IntN(len(all))], fmt.Sprintf("N=%d\n%s", n+1, quietMoves[r.IntN(len(quietMoves))])); err != nil {
			failed++
			t.report("FAIL change %d: %v", n+1, err)
		}
		tried++
	}
	if left := t.ends(ctx, time.Minute); left != "" {
		failed++
		t.report("FAIL at the end: %s", left)
	}
	stop()
	for text := range <-seen {
		failed++
		t.report("FAIL found: %s", text)
	}
	t.report("%d changes in %v", tried, o.quiet)
	return tried, failed, ctx.Err()
}

// watch collects all findings until a context ends.
func (t *trials) watch(ctx context.Context) map[string]bool {
	seen := map[string]bool{}
	tick := time.NewTicker(quietLooks)
	defer tick.Stop()
	for doctor := 0; ; doctor++ {
		list, err := t.look(ctx, doctor%10 != 0)
		if err != nil && ctx.Err() == nil {
			seen[err.Error()] = true
		}
		for i := range list {
			if f := &list[i]; f.Severity != model.SeverityInfo && ctx.Err() == nil && !seen[f.Ref().String()] {
				seen[f.Ref().String()] = true
				t.report("found %s", describe(f))
			}
		}
		select {
		case <-ctx.Done():
			return seen
		case <-tick.C:
		}
	}
}
