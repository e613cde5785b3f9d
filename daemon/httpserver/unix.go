// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// ListenUnix listens at path, with mode 0600 from the moment that the socket is there: it is created in a directory of its own, which is
// closed to others, and then moved. Missing directories are created with mode 0700; existing ones stay as they are. A socket that an
// earlier process left is replaced; while someone answers there, that is an error. Closing the listener leaves the file: it may be
// another process's by then.
func ListenUnix(path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory of the socket: %w", err)
	}
	if nc, err := net.Dial("unix", path); err == nil {
		_ = nc.Close()
		return nil, fmt.Errorf("another process serves the socket %s: is the same program running already?", path)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("old socket: %w", err)
	case info.Mode().Type() != os.ModeSocket:
		return nil, fmt.Errorf("%s exists, and is not a socket: name another path", path)
	}
	// A short name: the path of a socket has at most 107 bytes.
	private, err := os.MkdirTemp(dir, ".s")
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", path, err)
	}
	defer func() { _ = os.RemoveAll(private) }()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(private, "s"), Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", path, err)
	}
	l.SetUnlinkOnClose(false)
	if err = os.Chmod(filepath.Join(private, "s"), 0o600); err == nil {
		err = os.Rename(filepath.Join(private, "s"), path)
	}
	if err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("listen at %s: %w", path, err)
	}
	return l, nil
}
