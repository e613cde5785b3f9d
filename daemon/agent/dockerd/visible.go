// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// Visible reads the process that listens at the socket from the kernel, which returns 0 for a process that this one does not see (unix(7),
// SO_PEERCRED; pid_namespaces(7)).
func (s *socket) Visible(ctx context.Context) (bool, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", s.path)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return false, err
	}
	var peer *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err := errors.Join(err, failed); err != nil {
		return false, fmt.Errorf("who listens at %s: %w", s.path, err)
	}
	return peer.Pid != 0, nil
}
