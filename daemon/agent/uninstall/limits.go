// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"

	"github.com/contiv/contiv/daemon/agent/tracker"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// removeLimits removes the limits of the connection tracker that agents have set. If the switch does not run, the kernel's limits stay, and
// those of a userspace datapath have ended with it.
func (h *Host) removeLimits(ctx context.Context, done *Done) error {
	all, err := h.Limits.Limits()
	if err == nil && len(all) == 0 {
		return h.Limits.Remove()
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	path, err := vswitchd.Socket(h.OVSRunDir)
	if err == nil {
		var conn *vswitchd.Control
		if conn, err = vswitchd.Dial(ctx, path); err == nil {
			defer func() { _ = conn.Close() }()
			return tracker.Release(ctx, h.Limits, conn.Do)
		}
	}
	done.Remains = append(done.Remains, Remains{fmt.Sprintf("limits of zones of the connection tracker, if the kernel has some (noted in %s)", h.Limits),
		fmt.Sprintf("%v: a boot removes them, and this uninstall does when Open vSwitch runs", err)})
	return nil
}
