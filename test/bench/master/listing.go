// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
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
	listLimit  = 500 * time.Millisecond
	lineLimit  = 100 * time.Millisecond
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
	var wall, cpu, first [2][]time.Duration
	for range executions {
		for i, line := range lines {
			x, err := executed(ctx, line)
			if err != nil {
				return nil, err
			}
			wall[i], cpu[i], first[i] = append(wall[i], x.wall), append(cpu[i], x.cpu), append(first[i], x.first)
		}
	}
	t := &report.Table{Title: fmt.Sprintf("netctl endpoint ls of %d, against etcdctl get --prefix of their records", listed)}
	for _, measure := range []struct {
		what  string
		taken [2][]time.Duration
		limit time.Duration // 0: none
	}{{"time", wall, listLimit}, {"time until the first line", first, lineLimit}, {"CPU time", cpu, 0}} {
		own, peer := report.Median(measure.taken[0]), report.Median(measure.taken[1])
		row := report.Row{What: measure.what, Ours: report.Millis(own), Peer: report.Millis(peer), Ratio: float64(own) / float64(peer), Target: "-", Met: measure.limit == 0 || own <= measure.limit}
		if measure.limit > 0 {
			row.Target = "<= " + report.Millis(measure.limit)
		}
		t.Add(row)
	}
	return t, nil
}

// execution is what a program took: from before its start until after its end, until it had printed something, and of processors.
type execution struct{ wall, first, cpu time.Duration }

// executed executes a program and discards its output.
func executed(ctx context.Context, line []string) (x execution, err error) {
	start := time.Now()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return x, fmt.Errorf("%v: %w", line, err)
	}
	_, _ = out.Read(make([]byte, 1)) // one that prints nothing ends with an error, or is at once at the end
	x.first = time.Since(start)
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		return x, fmt.Errorf("%v: %w", line, err)
	}
	x.wall = time.Since(start)
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		x.cpu = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return x, nil
}
