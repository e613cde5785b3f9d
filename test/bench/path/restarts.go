// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/test/bench/report"
)

// pingEvery is the pause between two pings.
const pingEvery = 2 * time.Millisecond

// pinged is what a container's pings noticed: how many were not answered, and the longest time between two answers.
type pinged struct {
	lost    int
	longest time.Duration
}

// answered is what ping(8) prints of each answer: when it came, in seconds, and its number.
var answered = regexp.MustCompile(`\[(\d+\.\d+)\].* icmp_seq=(\d+)`)

// pinging pings for so long, from one container to another, while do happens.
func (s *site) pinging(ctx context.Context, from, host, to string, length time.Duration, do func() error) (p pinged, err error) {
	cmd, err := s.lab.Command(ctx, host, "ip", "netns", "exec", from, "ping", "-n", "-D", "-i", fmt.Sprint(pingEvery.Seconds()), "-W", "1",
		"-c", strconv.Itoa(int(length/pingEvery)), s.ips[to])
	if err != nil {
		return p, err
	}
	type result struct {
		out []byte
		err error
	}
	ran := make(chan result, 1)
	go func() {
		out, err := cmd.Output()
		ran <- result{out, err}
	}()
	if err := pause(ctx, length/5); err != nil {
		return p, err
	}
	failed := do()
	r := <-ran
	if failed != nil {
		return p, failed
	}
	if r.err != nil {
		return p, fmt.Errorf("ping from %s to %s: %w", from, to, r.err)
	}
	var last, got int
	var before float64
	for _, m := range answered.FindAllStringSubmatch(string(r.out), -1) {
		at, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return p, err
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return p, err
		}
		if before != 0 {
			p.longest = max(p.longest, time.Duration((at-before)*float64(time.Second)))
		}
		before, got, last = at, got+1, max(last, n)
	}
	p.lost = last - got
	return p, nil
}

// restarts ends parts of h1, starts them again, and measures what the pings of its containers notice.
func (s *site) restarts(ctx context.Context, t *report.Table, rounds int) error {
	again := func(part string) func() error {
		return func() error {
			if err := s.lab.Kill("h1", part); err != nil {
				return err
			}
			return s.lab.Start(ctx, "h1", part)
		}
	}
	for _, row := range []struct {
		what, to string
		length   time.Duration
		rounds   int
		do       func() error
		gap      bool // the switch itself: packets may be lost for a while
	}{
		{"ovs-vswitchd killed and started, containers of one host", "b", 3 * time.Second, rounds, again(lab.PartOVS), true},
		{"ovs-vswitchd killed and started, through a tunnel", "c", 3 * time.Second, rounds, again(lab.PartOVS), true},
		{"agent killed and started", "c", 2 * time.Second, rounds, again(lab.PartAgent), false},
		{"a rule for the group, and its removal", "c", time.Second, rounds, func() error { return s.change(ctx) }, false},
		{"netmaster and its etcd killed and started", "c", 2 * time.Second, rounds, again(lab.PartMaster), false},
	} {
		var gaps []time.Duration
		lost := 0
		for range row.rounds {
			p, err := s.pinging(ctx, "a", "h1", row.to, row.length, row.do)
			if err != nil {
				return fmt.Errorf("%s: %w", row.what, err)
			}
			gaps, lost = append(gaps, p.longest), lost+p.lost
		}
		gap := report.Median(gaps)
		ours := fmt.Sprintf("%d lost in %d", lost, row.rounds)
		if row.gap {
			t.Add(report.Row{What: row.what + ": gap, p50", Ours: report.Millis(gap) + ", " + ours, Target: "<= " + report.Millis(mostGap), Met: gap <= mostGap})
			continue
		}
		t.Add(report.Row{What: row.what + ": pings lost", Ours: ours, Target: "0", Met: lost == 0})
	}
	return nil
}

// change adds a rule that does not concern the pings and takes it away.
func (s *site) change(ctx context.Context) error {
	r := &model.Rule{TenantName: tenant, PolicyName: policy, RuleId: "passing", Direction: "in", Protocol: "udp", Port: 9, Action: "deny", Priority: 50}
	if _, err := s.api.Put(ctx, r); err != nil {
		return err
	}
	_, err := s.api.Rules().Delete(ctx, tenant, policy, r.RuleId)
	return err
}
