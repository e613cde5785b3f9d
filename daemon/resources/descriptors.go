// SPDX-License-Identifier: Apache-2.0

package resources

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Descriptors is how many file descriptors this process has open, and how many it may have (RLIMIT_NOFILE). A process that has none free
// cannot count them, and has as many as it may. Both are 0 where that is not known. It blocks for the kernel.
func Descriptors() (used, most int) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, 0
	}
	most = int(min(limit.Cur, 1<<30))
	list, err := os.ReadDir("/proc/self/fd")
	switch {
	case errors.Is(err, unix.EMFILE):
		return most, most
	case err != nil:
		return 0, 0
	}
	return len(list) - 1, most // without the descriptor of the directory itself
}
