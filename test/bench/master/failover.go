// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/test/bench/report"
)

// failovers ends the leader of three netmasters again and again and measures how long it takes until a write through
// one of the others is accepted.
func failovers(ctx context.Context, dir, program string, times int) (*report.Table, error) {
	etcd, err := startServer(filepath.Join(dir, "etcd2"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = etcd.Close() }()
	var masters []*master
	defer func() {
		for _, m := range masters {
			m.end(syscall.SIGKILL)
		}
	}()
	serial := 0
	add := func() error {
		serial++
		m, err := launch(ctx, program, filepath.Join(dir, fmt.Sprintf("netmaster%d.log", serial)), "--etcd-endpoints", etcd.url)
		if err == nil {
			masters = append(masters, m)
		}
		return err
	}
	for range 3 {
		if err := add(); err != nil {
			return nil, err
		}
	}
	t := &report.Table{Title: fmt.Sprintf("Leader of three ended: until the next write is accepted (worst of %d)", times)}
	for _, c := range []struct {
		signal syscall.Signal
		target time.Duration
	}{{syscall.SIGKILL, 3 * time.Second}, {syscall.SIGTERM, 300 * time.Millisecond}} {
		var worst time.Duration
		for range times {
			leader, err := leaderOf(ctx, masters)
			if err != nil {
				return nil, err
			}
			dead := masters[leader]
			masters = append(masters[:leader:leader], masters[leader+1:]...)
			start := time.Now()
			if err := dead.cmd.Process.Signal(c.signal); err != nil {
				return nil, err
			}
			serial++
			n := &model.Tenant{TenantName: fmt.Sprintf("t%d", serial)}
			patient := *masters[0].Client
			patient.Timeout = 20 * time.Second
			if _, err := patient.Tenants().Put(ctx, n); err != nil {
				return nil, fmt.Errorf("no write after the leader's end: %w", err)
			}
			worst = max(worst, time.Since(start))
			_ = dead.cmd.Wait()
			if err := add(); err != nil {
				return nil, err
			}
		}
		t.Add(report.Row{What: c.signal.String(), Ours: report.Millis(worst), Target: "<= " + c.target.String(), Met: worst <= c.target})
	}
	return t, nil
}

func leaderOf(ctx context.Context, masters []*master) (int, error) {
	for range 100 {
		info, err := masters[0].Info(ctx)
		if err != nil {
			return 0, err
		}
		for i, m := range masters {
			if m.address == info.LeaderIP {
				return i, nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return 0, fmt.Errorf("no leader among %d masters", len(masters))
}
