package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/test/bench/report"
)

const (
	networks = 10_000 // how many are created
	window   = 500    // how many at each end are timed
	turn     = 25     // ours and the peer's take turns of so many, and the medians of their rates count
)

// networkCreations compares the rate of the first networks with that of the last of ten thousand, and both with bare
// transactions of the same store in turn. One client. When there are a thousand, netctl lists them; "" does not.
func networkCreations(ctx context.Context, dir, netmaster string, at place, netctl string) (*report.Table, error) {
	m, err := settle(ctx, dir, netmaster, at)
	if err != nil {
		return nil, err
	}
	defer func() { _ = m.Close() }()
	serial := 0
	create := func(ctx context.Context) error {
		n := serial
		serial++
		_, err := m.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: fmt.Sprintf("net%05d", n), Encap: "vxlan",
			Subnet: fmt.Sprintf("10.%d.%d.0/24", n/256, n%256)})
		return err
	}
	spare := 0
	bare := func(ctx context.Context) error {
		tx := &store.Tx{}
		spare++
		tx.Put(fmt.Sprintf("/bench/%05d", spare), []byte(strings.Repeat("x", 700)))
		_, err := m.Commit(ctx, tx)
		return err
	}
	t := &report.Table{Title: fmt.Sprintf("%d networks through REST, one client (%s, fsync)", networks, at)}
	var own [2]float64
	for i, first := range []int{0, networks - window} {
		for serial < first {
			if err := create(ctx); err != nil {
				return nil, err
			}
			if serial == 1000 && netctl != "" {
				if err := listing(ctx, t, dir, netctl, m.address); err != nil {
					return nil, err
				}
			}
		}
		var mine, theirs []float64
		for range window / turn {
			for _, side := range []struct {
				do    func(context.Context) error
				rates *[]float64
			}{{bare, &theirs}, {create, &mine}} {
				r, err := times(ctx, turn, side.do)
				if err != nil {
					return nil, err
				}
				*side.rates = append(*side.rates, r)
			}
		}
		peer := report.Median(theirs)
		own[i] = report.Median(mine)
		what := fmt.Sprintf("networks %d to %d against bare transactions", first+1, first+window)
		t.Add(report.Row{What: what, Ours: report.Rate(own[i]), Peer: report.Rate(peer), Ratio: own[i] / peer, Target: ">= 0.60", Met: own[i]/peer >= 0.6})
	}
	t.Add(report.Row{What: "the last against the first", Ours: report.Rate(own[1]), Peer: report.Rate(own[0]), Ratio: own[1] / own[0],
		Target: ">= 0.90", Met: own[1]/own[0] >= 0.9})
	return t, nil
}

// times runs do n times, one after the other, and returns how often it was done per second.
func times(ctx context.Context, n int, do func(context.Context) error) (float64, error) {
	start := time.Now()
	for range n {
		if err := do(ctx); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(start).Seconds(), nil
}
