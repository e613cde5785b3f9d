// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// dial connects to the unix socket at path. The kernel limits each read and write to limit. Package net would take a plugin
// 0.15 ms to start.
func dial(path string, limit time.Duration) (*os.File, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a socket: %w", err)
	}
	each := syscall.NsecToTimeval(limit.Nanoseconds())
	for _, option := range []int{syscall.SO_RCVTIMEO, syscall.SO_SNDTIMEO} {
		if err == nil {
			err = syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, option, &each)
		}
	}
	if err == nil {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		for errors.Is(err, syscall.EINTR) {
			err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		}
	}
	if err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// why describes an error of a socket: the kernel's "resource unavailable" is a timeout.
func why(err error, limit time.Duration) error {
	if errors.Is(err, syscall.EAGAIN) {
		return fmt.Errorf("no answer for %v", limit)
	}
	return err
}
