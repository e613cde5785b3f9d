// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// There reports whether a host has a Docker engine's socket at a path. The engine need not answer.
func There(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == fs.ModeSocket
}

// Appear blocks until the socket exists, which it checks at an interval, or until ctx ends: false.
func Appear(ctx context.Context, path string, every time.Duration) bool {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for !There(path) {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}
