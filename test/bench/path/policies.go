// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// mostPolicy is the promise for a policy, p50.
const mostPolicy = 20 * time.Millisecond

// policies makes policies, each of which selects pods of both hosts.
func (k *kubernetes) policies(ctx context.Context, tb *harness.Stand, t *report.Table, rounds int) {
	var took []time.Duration
	before, err := k.cpu(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range rounds + 1 {
		p := k.Policy(policiesThere + i)
		p.Spec.PodSelector = metav1.LabelSelector{}
		began := time.Now()
		k.server.Put(tb, p)
		each, err := k.since(ctx, began, record.NetworkPolicies+p.Namespace+":"+p.Name, 0)
		if err != nil {
			tb.Fatalf("policy %s: %v", p.Name, err)
		}
		if i > 0 { // the first finds everything cold
			took = append(took, each)
		}
	}
	after, err := k.cpu(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	longest, p50 := report.Percentile(took, 100), report.Median(took)
	t.Add(report.Row{What: fmt.Sprintf("a NetworkPolicy put at the API server, until past the barriers of both switches, p50 of %d; the longest %s", rounds, report.Millis(longest)),
		Ours: report.Millis(p50), Target: "<= " + report.Millis(mostPolicy), Met: p50 <= mostPolicy})
	t.Add(report.Row{What: "its processor time, with asking the agents when they were past it", Ours: after.since(before, rounds+1), Met: true})
}

// since is how long after a moment all switches had what made a record another than it was at a revision, or there at all. Neither store
// nor agents are asked while they work.
func (k *kubernetes) since(ctx context.Context, began time.Time, key string, was store.Revision) (time.Duration, error) {
	for {
		if err := pause(ctx, quiet); err != nil {
			return 0, err
		}
		item, err := k.db.Read(ctx, key)
		if errors.Is(err, store.ErrNotFound) || err == nil && item.Revision == was {
			continue
		}
		if err != nil {
			return 0, err
		}
		at, err := k.passed(ctx, client.Revision(item.Revision))
		return at.Sub(began), err
	}
}
