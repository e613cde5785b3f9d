package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/test/bench/report"
)

const (
	networks = 10_000 // how many are created
	window   = 500    // how many at each end are timed
)

// networkCreations compares the rate of the first networks with that of the last of ten thousand, and both with bare
// transactions of the same store right before. One client.
func networkCreations(ctx context.Context, dir, netmaster, netctl string) (*report.Table, error) {
	client, err := startServer(filepath.Join(dir, "etcd-networks"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close() }()
	m, err := launch(ctx, netmaster, client.url, filepath.Join(dir, "networks.log"))
	if err != nil {
		return nil, err
	}
	defer m.end(syscall.SIGTERM)
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
		_, err := client.Commit(ctx, tx)
		return err
	}
	t := &report.Table{Title: fmt.Sprintf("%d networks through REST, one client, on an etcd with fsync", networks)}
	var own [2]float64
	for i, at := range []int{0, networks - window} {
		for serial < at {
			if err := create(ctx); err != nil {
				return nil, err
			}
			if serial == 1000 {
				if err := listing(ctx, t, dir, netctl, m.address); err != nil {
					return nil, err
				}
			}
		}
		peer, err := times(ctx, window, bare)
		if err != nil {
			return nil, err
		}
		if own[i], err = times(ctx, window, create); err != nil {
			return nil, err
		}
		what := fmt.Sprintf("networks %d to %d against bare transactions", at+1, at+window)
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
