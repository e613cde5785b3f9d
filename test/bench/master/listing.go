package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/contiv/contiv/test/bench/report"
)

// executions is how often each program is executed for its median.
const executions = 61

// nothing is a Go program that ends at once: no other written in Go takes less.
const nothing = "package main\n\nfunc main() {}\n"

// listing compares `netctl network ls` of a thousand networks with executing /bin/true, and so a Go program that does nothing
// and netctl's own start, which are its floors. They are executed in turn.
func listing(ctx context.Context, t *report.Table, dir, netctl, address string) error {
	source := filepath.Join(dir, "nothing.go")
	if err := os.WriteFile(source, []byte(nothing), 0o600); err != nil {
		return err
	}
	empty := filepath.Join(dir, "nothing")
	if out, err := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", empty, source).CombinedOutput(); err != nil {
		return fmt.Errorf("build a program that does nothing: %w\n%s", err, out)
	}
	programs := []struct {
		what string
		line []string
	}{
		{"", []string{"/bin/true"}},
		{"a Go program that does nothing", []string{empty}},
		{"netctl's start (-h)", []string{netctl, "version", "-h"}},
		{"netctl network ls of 1,000", []string{netctl, "--netmaster", "http://" + address, "network", "ls"}},
	}
	wall, cpu := make([][]time.Duration, len(programs)), make([][]time.Duration, len(programs))
	for range executions {
		for i, p := range programs {
			w, c, err := executed(ctx, p.line)
			if err != nil {
				return err
			}
			wall[i], cpu[i] = append(wall[i], w), append(cpu[i], c)
		}
	}
	for _, measure := range []struct {
		what  string
		taken [][]time.Duration
	}{{"time", wall}, {"CPU time", cpu}} {
		peer := report.Median(measure.taken[0])
		for i, p := range programs[1:] {
			own := report.Median(measure.taken[i+1])
			row := report.Row{What: p.what + " against /bin/true, " + measure.what, Ours: report.Millis(own), Peer: report.Millis(peer),
				Ratio: float64(own) / float64(peer), Target: "-", Met: true}
			if i == len(programs)-2 {
				row.Target, row.Met = "<= 5", row.Ratio <= 5
			}
			t.Add(row)
		}
	}
	return nil
}

// executed is how long a program takes, from before its start until after its end, and its CPU time.
func executed(ctx context.Context, line []string) (wall, cpu time.Duration, err error) {
	start := time.Now()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	if out, err := cmd.Output(); err != nil {
		return 0, 0, fmt.Errorf("%v: %w\n%s", line, err, out)
	}
	wall = time.Since(start)
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		cpu = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return wall, cpu, nil
}
