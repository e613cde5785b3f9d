package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/contiv/contiv/test/bench/report"
)

// executions is how often each program is executed for its median.
const executions = 41

// listing compares `netctl network ls` of a thousand networks with executing /bin/true.
func listing(ctx context.Context, t *report.Table, netctl, address string) error {
	ls, err := executed(ctx, netctl, "--netmaster", "http://"+address, "network", "ls")
	if err != nil {
		return err
	}
	nothing, err := executed(ctx, "/bin/true")
	if err != nil {
		return err
	}
	ratio := float64(ls) / float64(nothing)
	t.Add(report.Row{What: "netctl network ls of 1,000 against /bin/true", Ours: report.Millis(ls), Peer: report.Millis(nothing), Ratio: ratio,
		Target: "<= 5", Met: ratio <= 5})
	return nil
}

// executed is the median time that a program takes, from before its start until after its end.
func executed(ctx context.Context, program string, args ...string) (time.Duration, error) {
	var all []time.Duration
	for range executions {
		start := time.Now()
		if out, err := exec.CommandContext(ctx, program, args...).Output(); err != nil {
			return 0, fmt.Errorf("%s: %w\n%s", program, err, out)
		}
		all = append(all, time.Since(start))
	}
	return report.Median(all), nil
}
