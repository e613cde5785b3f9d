// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/test/bench/report"
)

const (
	networks = 10_000 // how many are created
	window   = 500    // how many at each end are timed
	turn     = 25     // requests of a turn: the variants take turns, and the medians of their rates count
)

// creator creates networks at one netmaster, one after the other, and bare transactions in its etcd.
type creator struct {
	*pair
	made int // networks
	like sample
	bare int // transactions

	mine, theirs []float64 // rates of turns
}

// newCreator starts a netmaster, and makes the first network for the transaction that it takes.
func newCreator(ctx context.Context, dir, netmaster string, as deployment) (*creator, error) {
	m, err := settle(ctx, dir, netmaster, as)
	if err != nil {
		return nil, err
	}
	c := &creator{pair: m}
	if c.like, err = m.sample(ctx, c.create); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return c, nil
}

// networkCreations compares the first networks of one netmaster with the last of ten thousand of another one, and both with bare
// transactions of their etcd that write the same, all in turn. One client.
func networkCreations(ctx context.Context, dir, netmaster string, as deployment) (*report.Table, error) {
	var ends [2]*creator
	for i, name := range []string{"first", "last"} {
		c, err := newCreator(ctx, filepath.Join(dir, name), netmaster, as)
		if err != nil {
			return nil, err
		}
		defer func() { _ = c.Close() }()
		ends[i] = c
	}
	first, last := ends[0], ends[1]
	t := &report.Table{Title: fmt.Sprintf("%d networks through REST, one client (%s, fsync)", networks, as)}
	for last.made < networks-window {
		if err := last.create(ctx); err != nil {
			return nil, err
		}
	}
	for range window / turn {
		for _, c := range ends {
			if err := c.turn(ctx); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range ends {
		own, peer := report.Median(c.mine), report.Median(c.theirs)
		t.Add(report.Row{What: fmt.Sprintf("networks %d to %d against bare transactions of as many puts (%d) and bytes (%d)", c.made-window+1, c.made, len(c.like.puts), c.like.bytes()),
			Ours: report.Rate(own), Peer: report.Rate(peer), Ratio: own / peer, Target: ">= 0.60", Met: own/peer >= 0.6})
	}
	later, sooner := report.Median(last.mine), report.Median(first.mine)
	t.Add(report.Row{What: "the last against the first", Ours: report.Rate(later), Peer: report.Rate(sooner), Ratio: later / sooner,
		Target: ">= 0.90", Met: later/sooner >= 0.9})
	return t, nil
}

// create makes one network more.
func (c *creator) create(ctx context.Context) error {
	n := c.made
	c.made++
	_, err := c.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: fmt.Sprintf("net%05d", n), Encap: "vxlan",
		Subnet: fmt.Sprintf("10.%d.%d.0/24", n/256, n%256)})
	return err
}

// write makes a bare transaction.
func (c *creator) write(ctx context.Context) error {
	c.bare++
	_, err := c.Commit(ctx, c.like.again(c.bare))
	return err
}

// turn times both.
func (c *creator) turn(ctx context.Context) error {
	for _, side := range []struct {
		do    func(context.Context) error
		rates *[]float64
	}{{c.write, &c.theirs}, {c.create, &c.mine}} {
		r, err := times(ctx, turn, side.do)
		if err != nil {
			return err
		}
		*side.rates = append(*side.rates, r)
	}
	return nil
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
