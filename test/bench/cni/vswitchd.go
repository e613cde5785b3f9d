// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/test/bench/harness"
)

// pidFile is ovs-vswitchd's on the lab's host.
const pidFile = "/run/openvswitch/ovs-vswitchd.pid"

// vswitchd is the host's ovs-vswitchd.
type vswitchd struct{ pid int }

func findSwitch() (*vswitchd, error) {
	text, err := os.ReadFile(pidFile)
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return &vswitchd{pid}, err
}

// cpu is the processor time that it has used.
func (v *vswitchd) cpu() (time.Duration, error) { return harness.CPU(v.pid) }

// quietBelow is the processor time in half a second below which it has nothing to do.
const quietBelow = 10 * time.Millisecond

// idle waits until it has used hardly any processor time for half a second.
func (v *vswitchd) idle(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var last time.Duration
	for quiet := 0; quiet < 10; quiet++ {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until ovs-vswitchd is idle: %w", ctx.Err())
		case <-tick.C:
		}
		now, err := v.cpu()
		if err != nil {
			return err
		}
		if now-last >= quietBelow {
			last, quiet = now, 0
		}
	}
	return nil
}

// fill gives the switch n further ports in one transaction, numbered from 20000.
func fill(ctx context.Context, n int) error {
	var batch strings.Builder
	args := []string{"--timeout=60"}
	for i := range n {
		fmt.Fprintf(&batch, "link add q%d up type veth peer name z%d\n", i, i)
		args = append(args, "--", "add-port", "contiv0", fmt.Sprintf("q%d", i), "--",
			"set", "interface", fmt.Sprintf("q%d", i), fmt.Sprintf("ofport_request=%d", 20000+i))
	}
	if err := ip(ctx, batch.String()); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "ovs-vsctl", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("add %d ports: %w\n%s", n, err, out)
	}
	return nil
}
