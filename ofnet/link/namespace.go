// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// Namespace is an open network namespace. It stays alive until Close, even if its path is deleted.
type Namespace struct {
	fd   int
	path string
}

// OpenNamespace opens the network namespace at path ("/run/netns/x", "/proc/4390/ns/net"); "" is the process's own.
// It does not block, whatever kind of file path is.
func OpenNamespace(path string) (*Namespace, error) {
	p := path
	if p == "" {
		p = "/proc/self/ns/net"
	}
	fd, err := unix.Open(p, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open network namespace %s: %w", p, err)
	}
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil || int64(fs.Type) != unix.NSFS_MAGIC {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("open network namespace %s: not a namespace", p)
	}
	return &Namespace{fd, p}, nil
}

// NamespaceGone reports whether the path of a network namespace certainly no longer leads to one.
func NamespaceGone(path string) bool {
	err := unix.Access(path, unix.F_OK)
	return err == unix.ENOENT || err == unix.ESRCH || err == unix.ENOTDIR
}

// Close releases the namespace.
func (n *Namespace) Close() { _ = unix.Close(n.fd) }

// String is the path that was opened.
func (n *Namespace) String() string { return n.path }

// Same reports whether both are the same namespace.
func (n *Namespace) Same(other *Namespace) bool {
	var a, b unix.Stat_t
	return unix.Fstat(n.fd, &a) == nil && unix.Fstat(other.fd, &b) == nil && a.Dev == b.Dev && a.Ino == b.Ino
}

// Do calls fn on a thread inside the namespace and waits for it. Sockets that fn opens belong to the namespace for good; goroutines that it
// starts do not. A thread that cannot return to its namespace is discarded.
func (n *Namespace) Do(fn func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		home, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			runtime.UnlockOSThread()
			done <- fmt.Errorf("open own network namespace: %w", err)
			return
		}
		defer func() { _ = unix.Close(home) }()
		if err := unix.Setns(n.fd, unix.CLONE_NEWNET); err != nil {
			runtime.UnlockOSThread()
			done <- fmt.Errorf("enter network namespace %s: %w", n.path, err)
			return
		}
		err = fn()
		if unix.Setns(home, unix.CLONE_NEWNET) == nil {
			runtime.UnlockOSThread() // otherwise the goroutine ends locked, and the thread ends with it
		}
		done <- err
	}()
	return <-done
}
