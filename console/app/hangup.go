// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// hungUp blocks until the terminal behind f is gone (true) or ctx ends (false). A console whose terminal it does not own gets no SIGHUP,
// and would continue for ever without a terminal.
func hungUp(ctx context.Context, f *os.File) (bool, error) {
	ended, end, err := os.Pipe()
	if err != nil {
		return false, fmt.Errorf("watch the terminal: %w", err)
	}
	defer func() { _, _ = ended.Close(), end.Close() }()
	defer context.AfterFunc(ctx, func() { _ = end.Close() })()
	watched := []unix.PollFd{{Fd: int32(f.Fd())}, {Fd: int32(ended.Fd())}} // both report their end without requested events
	for {
		_, err := unix.Poll(watched, -1)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false, fmt.Errorf("watch the terminal: %w", err)
		default:
			return watched[0].Revents != 0 && ctx.Err() == nil, nil
		}
	}
}
