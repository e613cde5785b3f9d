// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/contiv/contiv/lab"
)

// resident is the agent's resident memory in bytes (proc(5), VmRSS).
func (b *bench) resident(ctx context.Context) (int64, error) {
	parts, err := b.lab.Parts(host)
	if err != nil {
		return 0, err
	}
	for _, p := range parts {
		if p.Name != lab.PartAgent {
			continue
		}
		cmd, err := b.lab.Command(ctx, host, "cat", fmt.Sprintf("/proc/%d/status", p.PID))
		if err != nil {
			return 0, err
		}
		status, err := cmd.Output()
		if err != nil {
			return 0, fmt.Errorf("read the agent's status: %w", err)
		}
		for line := range strings.Lines(string(status)) {
			if kb, ok := strings.CutPrefix(line, "VmRSS:"); ok {
				n, err := strconv.ParseInt(strings.Fields(kb)[0], 10, 64)
				return n << 10, err
			}
		}
	}
	return 0, fmt.Errorf("%s runs no agent", host)
}
