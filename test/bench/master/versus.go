package main

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"github.com/contiv/contiv/test/bench/report"
)

// versusTurns is how many turns each build of a comparison takes.
const versusTurns = 80

// versus compares builds of netmaster by the networks that they create, in turn: a machine that is now fast and now slow
// is so for all of them.
func versus(ctx context.Context, dir string, programs []string, as deployment) (*report.Table, error) {
	var builds []*creator
	for i, program := range programs {
		c, err := newCreator(ctx, filepath.Join(dir, strconv.Itoa(i)), program, as)
		if err != nil {
			return nil, err
		}
		defer func() { _ = c.Close() }()
		builds = append(builds, c)
	}
	spent := make([]time.Duration, len(builds))
	for range versusTurns {
		for i, c := range builds {
			before, err := spentBy(c.cmd.Process.Pid)
			if err != nil {
				return nil, err
			}
			if err := c.turn(ctx); err != nil {
				return nil, err
			}
			after, err := spentBy(c.cmd.Process.Pid)
			if err != nil {
				return nil, err
			}
			spent[i] += after - before
		}
	}
	t := &report.Table{Title: "builds of netmaster, networks in turn, with the processor time of both (" + string(as) + ", fsync)"}
	for i, c := range builds {
		own, peer := report.Median(c.mine), report.Median(c.theirs)
		t.Add(report.Row{What: programs[i] + ", " + report.Millis(spent[i]/(versusTurns*turn)), Ours: report.Rate(own), Peer: report.Rate(peer),
			Ratio: own / peer, Target: "-", Met: true})
	}
	return t, nil
}
