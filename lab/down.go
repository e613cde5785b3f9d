// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Down ends every process of the lab and removes its namespaces, interface and files, however incomplete the lab is. It may be called
// again.
func (l *Lab) Down(ctx context.Context) error {
	var errs []error
	for _, host := range l.hostNames() {
		if err := l.endHost(host); err != nil {
			errs = append(errs, err)
		}
	}
	if l.hasEngines() {
		errs = append(errs, l.endGroups())
	}
	if _, err := os.Stat(filepath.Join("/run/netns", l.switches())); err == nil {
		errs = append(errs, l.endRouters(ctx))
		errs = append(errs, command(ctx, "ip", "netns", "del", l.switches()))
	}
	if l.Number > 0 {
		if _, err := net.InterfaceByName(l.link()); err == nil && l.ownsLink() {
			// The kernel deletes it with its peer's namespace, but not at once: it may be gone by now.
			err := command(ctx, "ip", "link", "del", l.link())
			if _, notThere := net.InterfaceByName(l.link()); err != nil && notThere == nil {
				errs = append(errs, err)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("lab %s: %w", l.Name, err)
	}
	if err := errors.Join(l.removeStores(), os.RemoveAll(l.Dir)); err != nil {
		return err
	}
	if parent := filepath.Dir(l.Dir); parent == DefaultDir {
		_ = os.Remove(parent) // unless another lab is in it
	}
	return nil
}

// ownsLink reports whether the machine's interface of that name has the lab's address.
func (l *Lab) ownsLink() bool {
	i, err := net.InterfaceByName(l.link())
	if err != nil {
		return false
	}
	addrs, err := i.Addrs()
	if err != nil {
		return false
	}
	for _, a := range addrs {
		if strings.HasPrefix(a.String(), l.machine()+"/") {
			return true
		}
	}
	return len(addrs) == 0
}

// endRouters kills the processes in the namespace of the switches, mainly routers. Their children die with them.
func (l *Lab) endRouters(ctx context.Context) error {
	out, err := output(ctx, "ip", "netns", "pids", l.switches())
	if err != nil {
		return err
	}
	for word := range strings.FieldsSeq(out) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			return fmt.Errorf("ip netns pids %s: %w", l.switches(), err)
		}
		if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("end process %d of the switches: %w", pid, err)
		}
	}
	return nil
}

// endHost kills a host's process 1, with which the kernel kills every process of the host, and waits for it.
func (l *Lab) endHost(host string) error {
	pid, err := l.pid(host)
	if err != nil {
		return nil // never up, or dead
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	if again, err := l.pid(host); err != nil || again != pid {
		return nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil {
		return fmt.Errorf("end host %s: %w", host, err)
	}
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for end := time.Now().Add(stopTimeout); ; {
		n, err := unix.Poll(poll, 200)
		if n > 0 {
			return nil
		}
		if err != nil && !errors.Is(err, unix.EINTR) || time.Now().After(end) {
			return fmt.Errorf("end host %s: process %d is still there: %w", host, pid, err)
		}
	}
}

// Down ends the lab of that name if there is one.
func Down(ctx context.Context, dir, name string, out io.Writer) error {
	l, err := Open(dir, name, "", out)
	if err == nil {
		return l.Down(ctx)
	}
	// A lab whose plan was never written has no host yet.
	folder := filepath.Join(dir, name)
	if _, statErr := os.Stat(folder); errors.Is(statErr, os.ErrNotExist) {
		return nil
	}
	if _, statErr := os.Stat(filepath.Join(folder, planFile)); errors.Is(statErr, os.ErrNotExist) {
		return os.Remove(folder)
	}
	return err
}
