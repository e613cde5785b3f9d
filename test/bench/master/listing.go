package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/test/bench/report"
)

const (
	listed     = 50_000 // endpoints
	executions = 21     // of each program, for its median
)

// listings compares `netctl endpoint ls` with etcdctl, which gets the same records from the store. They are executed in turn.
func listings(ctx context.Context, dir, netmaster, netctl string) (*report.Table, error) {
	etcdctl, err := exec.LookPath("etcdctl")
	if err != nil {
		return nil, fmt.Errorf("%w: apt-get install etcd-client", err)
	}
	etcd, err := startServer(filepath.Join(dir, "etcd-listing"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = etcd.Close() }()
	if err := fill(ctx, etcd, fullNetwork(), listed, fullEndpoint); err != nil {
		return nil, err
	}
	m, err := launch(ctx, netmaster, filepath.Join(dir, "listing.log"), "--etcd-endpoints", etcd.url)
	if err != nil {
		return nil, err
	}
	defer m.end(syscall.SIGTERM)
	lines := [][]string{
		{netctl, "--netmaster", "http://" + m.address, "endpoint", "ls"},
		{etcdctl, "--endpoints", etcd.url, "get", "--prefix", record.Endpoints},
	}
	var wall, cpu [2][]time.Duration
	for range executions {
		for i, line := range lines {
			w, c, err := executed(ctx, line)
			if err != nil {
				return nil, err
			}
			wall[i], cpu[i] = append(wall[i], w), append(cpu[i], c)
		}
	}
	t := &report.Table{Title: fmt.Sprintf("netctl endpoint ls of %d, against etcdctl get --prefix of their records", listed)}
	for _, measure := range []struct {
		what  string
		taken [2][]time.Duration
	}{{"time", wall}, {"CPU time", cpu}} {
		own, peer := report.Median(measure.taken[0]), report.Median(measure.taken[1])
		t.Add(report.Row{What: measure.what, Ours: report.Millis(own), Peer: report.Millis(peer), Ratio: float64(own) / float64(peer), Target: "-", Met: true})
	}
	return t, nil
}

// executed is how long a program takes, from before its start until after its end, and its CPU time. What it prints is thrown away.
func executed(ctx context.Context, line []string) (wall, cpu time.Duration, err error) {
	start := time.Now()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%v: %w", line, err)
	}
	wall = time.Since(start)
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		cpu = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return wall, cpu, nil
}
