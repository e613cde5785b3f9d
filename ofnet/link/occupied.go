// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Occupied reports whether the other end of a live host end is in another network namespace in which a process runs, not one that only a
// mount keeps. It knows the processes that /proc shows, and reads the namespace of each of their threads.
func (h *Host) Occupied(name string) (bool, error) {
	l, err := find(h.nl, name)
	if err != nil || !elsewhere(l) {
		return false, err
	}
	threads, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*/ns/net")
	if err != nil {
		return false, err
	}
	seen := map[string]struct{}{} // namespaces, in the notation of /proc
	for _, path := range threads {
		space, err := os.Readlink(path)
		if _, again := seen[space]; again || ended(err) {
			continue
		}
		id, err := h.namespaceID(path, err)
		if err != nil {
			return false, fmt.Errorf("which namespace %s is: %w", path, err)
		}
		if id == l.Attrs().NetNsID {
			return true, nil
		}
		seen[space] = struct{}{}
	}
	return false, nil
}

// namespaceID returns the host namespace's id of another one, negative if no interface leads there. A non-nil err is returned unchanged.
func (h *Host) namespaceID(path string, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	f, err := os.Open(path)
	if ended(err) {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	return h.nl.GetNetNsIdByFd(int(f.Fd()))
}

// ended reports whether an error means that a thread has ended.
func ended(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }
