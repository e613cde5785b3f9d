// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/test/bench/report"
)

// atRest is how long a cluster at rest is watched.
const atRest = 20 * time.Second

// mostProbes is the share of a core that probes may cost a host, of agent and switch together.
const mostProbes = 0.01

// share is the part of a core that each host's agent and switch use at rest.
type share struct{ agent, ovs float64 }

// resting watches a cluster to which nothing is done.
func (s *site) resting(ctx context.Context) (share, error) {
	before, err := s.cpu(ctx)
	if err != nil {
		return share{}, err
	}
	began := time.Now()
	if err := pause(ctx, atRest); err != nil {
		return share{}, err
	}
	after, err := s.cpu(ctx)
	if err != nil {
		return share{}, err
	}
	part := func(name string) float64 {
		return float64(after[name]-before[name]) / float64(time.Since(began)) / float64(len(s.hosts))
	}
	return share{part(lab.PartAgent), part(lab.PartOVS)}, nil
}

// probes reports what the probes of ways cost: without is of before the hosts had anything to say to each other, so that they probed
// nothing.
func (s *site) probes(ctx context.Context, t *report.Table, without share) error {
	with, err := s.resting(ctx)
	if err != nil {
		return err
	}
	cost := with.agent - without.agent + with.ovs - without.ovs
	percent := func(x float64) string { return fmt.Sprintf("%.2f", 100*x) }
	t.Add(report.Row{What: fmt.Sprintf("probes of the ways to another host, %% of a core of each host at rest: agent %s, ovs-vswitchd %s; before there was a way %s, %s",
		percent(with.agent), percent(with.ovs), percent(without.agent), percent(without.ovs)),
		Ours: percent(cost) + " %", Target: "<= " + percent(mostProbes) + " %", Met: cost <= mostProbes})
	return nil
}
