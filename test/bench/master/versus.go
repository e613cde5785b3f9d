package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/test/bench/report"
)

// versus compares two builds of netmaster, and bare transactions, all in turn.
func versus(ctx context.Context, dir string, programs []string, at place) (*report.Table, error) {
	t := &report.Table{Title: "networks, " + string(at)}
	var cs []*creator
	for i, p := range programs {
		m, err := settle(ctx, filepath.Join(dir, string(rune('a'+i))), p, at)
		if err != nil {
			return nil, err
		}
		defer func() { _ = m.Close() }()
		c := &creator{pair: m}
		if c.like, err = m.sample(ctx, c.create); err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	var cpu [10]time.Duration
	for range 80 {
		for i, c := range cs {
			x, _ := spentBy(c.cmd.Process.Pid)
			if err := c.turn(ctx); err != nil {
				return nil, err
			}
			y, _ := spentBy(c.cmd.Process.Pid)
			cpu[i] += y - x
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a", "netmaster.log")); err == nil {
		os.Stdout.Write(text)
	}
	for i, c := range cs {
		a, b := report.Median(c.mine), report.Median(c.theirs)
		t.Add(report.Row{What: programs[i], Target: report.Millis(cpu[i] / 80 / turn), Ours: report.Rate(a), Peer: report.Rate(b), Ratio: a / b, Met: true})
	}
	return t, nil
}
