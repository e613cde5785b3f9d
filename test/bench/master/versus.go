// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/test/bench/report"
)

// versusTurns is how many turns each build of a comparison takes.
const versusTurns = 60

// within is the least rate of this build against that of another one.
const within = 1 / 1.05

// job is something that is asked of a netmaster again and again.
type job struct {
	what       string
	n, clients int // of a turn
	do         func(c *contestant) func(context.Context) error
	judged     bool
}

var jobs = []job{
	{"bare transactions", turn, 1, func(c *contestant) func(context.Context) error { return c.write }, false},
	{"networks, one at a time", turn, 1, func(c *contestant) func(context.Context) error { return c.creator.create }, true},
	{"endpoints, one at a time", 2 * turn, 1, func(c *contestant) func(context.Context) error { return c.endpoint }, true},
	{"endpoints, 64 at a time", 16 * turn, 64, func(c *contestant) func(context.Context) error { return c.endpoint }, true},
	{"rules, one at a time", turn, 1, func(c *contestant) func(context.Context) error { return c.rule }, true},
}

// contestant is a build of netmaster that does all jobs.
type contestant struct {
	*creator
	endpoints *endpoints
	rules     int
	rates     map[string][]float64
	spent     map[string]time.Duration // processor time of netmaster
}

func newContestant(ctx context.Context, dir, program string, as deployment) (*contestant, error) {
	c, err := newCreator(ctx, dir, program, as)
	if err != nil {
		return nil, err
	}
	out := &contestant{creator: c, rates: map[string][]float64{}, spent: map[string]time.Duration{}}
	if out.endpoints, err = newEndpoints(ctx, c.pair, "100.64.0.0/10"); err == nil {
		_, err = c.Policys().Put(ctx, &model.Policy{TenantName: "default", PolicyName: "bench"})
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return out, nil
}

func (c *contestant) endpoint(ctx context.Context) error { return c.endpoints.create(ctx) }

// rule makes one rule more.
func (c *contestant) rule(ctx context.Context) error {
	c.rules++
	_, err := c.Rules().Put(ctx, &model.Rule{TenantName: "default", PolicyName: "bench", RuleId: strconv.Itoa(c.rules), Priority: 1,
		Direction: "in", Action: "allow", Protocol: "tcp", Port: 1 + c.rules%60000})
	return err
}

// work does a job for one turn.
func (c *contestant) work(ctx context.Context, j job) error {
	before, err := spentBy(c.cmd.Process.Pid)
	if err != nil {
		return err
	}
	r, err := rate(ctx, j.do(c), j.n, j.clients)
	if err != nil {
		return fmt.Errorf("%s: %w", j.what, err)
	}
	after, err := spentBy(c.cmd.Process.Pid)
	if err != nil {
		return err
	}
	c.rates[j.what] = append(c.rates[j.what], r)
	c.spent[j.what] += after - before
	return nil
}

// versus compares the first build of netmaster with the others by what they create, in turn: a machine that is now fast and now slow
// is so for all of them.
func versus(ctx context.Context, dir string, programs []string, as deployment) (*report.Table, error) {
	var builds []*contestant
	for i, program := range programs {
		c, err := newContestant(ctx, filepath.Join(dir, strconv.Itoa(i)), program, as)
		if err != nil {
			return nil, err
		}
		defer func() { _ = c.Close() }()
		builds = append(builds, c)
	}
	for i := range versusTurns {
		for _, j := range jobs {
			for k := range builds {
				if err := builds[(i+k)%len(builds)].work(ctx, j); err != nil {
					return nil, err
				}
			}
		}
	}
	t := &report.Table{Title: fmt.Sprintf("netmaster beside other builds of it, medians of %d turns (%s, fsync)", versusTurns, as)}
	for _, j := range jobs {
		of := func(c *contestant) (rate float64, cpu string) {
			return report.Median(c.rates[j.what]), report.Millis(c.spent[j.what] / time.Duration(versusTurns*j.n*min(j.clients, 8)))
		}
		own, cpu := of(builds[0])
		for i, c := range builds[1:] {
			other, otherCPU := of(c)
			row := report.Row{What: fmt.Sprintf("%s; processor %s, of %s %s", j.what, cpu, programs[i+1], otherCPU),
				Ours: report.Rate(own), Peer: report.Rate(other), Ratio: own / other, Target: "-", Met: true}
			if j.judged {
				row.Target, row.Met = fmt.Sprintf(">= %.2f", within), own/other >= within
			}
			t.Add(row)
		}
	}
	return t, nil
}
