// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/test/bench/report"
)

// quiet is how long after a rule's post the agents are asked when they were past it. Asked at once, they would answer while they
// work, and all that measures would want a processor of those that are measured.
const quiet = 20 * time.Millisecond

// rules posts rules, one by one and many together, and measures until they are past the barriers of all switches.
func (s *site) rules(ctx context.Context, t *report.Table, n int) error {
	rule := func(i int) *model.Rule {
		return &model.Rule{TenantName: tenant, PolicyName: policy, RuleId: fmt.Sprintf("r%d", i), Direction: "in", Protocol: "tcp",
			Port: 1000 + i, Action: "allow", Priority: 1 + i%90}
	}
	var posts, wholes []time.Duration
	before, err := s.cpu(ctx)
	if err != nil {
		return err
	}
	for i := range n {
		began := time.Now()
		revision, err := s.api.Put(ctx, rule(i))
		if err != nil {
			return err
		}
		posts = append(posts, time.Since(began))
		if err := pause(ctx, quiet); err != nil {
			return err
		}
		at, err := s.passed(ctx, revision)
		if err != nil {
			return err
		}
		wholes = append(wholes, at.Sub(began))
	}
	after, err := s.cpu(ctx)
	if err != nil {
		return err
	}
	p50 := report.Median(wholes)
	t.Add(report.Row{What: fmt.Sprintf("a rule posted to a cluster at rest, until past the barriers of all switches, p50 of %d; p90 %s; netmaster's answer %s",
		n, report.Millis(report.Percentile(wholes, 90)), report.Millis(report.Median(posts))),
		Ours: report.Millis(p50), Target: "<= " + report.Millis(mostRule), Met: p50 <= mostRule})
	t.Add(report.Row{What: "its processor time, with asking the agents when they were past it", Ours: after.since(before, n), Met: true})

	before = after
	began := time.Now()
	revisions := make([]client.Revision, manyRules)
	clients, bounded := errgroup.WithContext(ctx)
	clients.SetLimit(16)
	for i := range manyRules {
		clients.Go(func() (err error) {
			revisions[i], err = s.api.Put(bounded, rule(n+i))
			return err
		})
	}
	if err := clients.Wait(); err != nil {
		return err
	}
	answered := time.Since(began)
	var last client.Revision
	for _, r := range revisions {
		last = max(last, r)
	}
	at, err := s.passed(ctx, last)
	if err != nil {
		return err
	}
	took := at.Sub(began)
	if after, err = s.cpu(ctx); err != nil {
		return err
	}
	t.Add(report.Row{What: fmt.Sprintf("%d rules posted, 16 at a time, until they apply; only the answers %s", manyRules, report.Millis(answered)),
		Ours: report.Millis(took), Target: "<= " + report.Millis(mostMany), Met: took <= mostMany})
	t.Add(report.Row{What: "its processor time, for each rule", Ours: after.since(before, manyRules), Met: true})
	return nil
}
