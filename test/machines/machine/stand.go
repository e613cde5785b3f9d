// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// Directory has all stands, each in a subdirectory of its name. It is on a disk, and its name is short enough for sockets.
const Directory = "/var/tmp/contiv-machines"

// prefix begins the names of the namespaces of stands.
const prefix = "machines-"

// bridges are the switches of a stand: that of commands, that of the machines' network, and the trunk.
var bridges = []string{"mgmt", "net", "trunk"}

var standName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,23}$`)

// Stand is a network namespace with bridges, and the machines on them.
type Stand struct {
	Name     string
	Dir      string
	machines []*Machine
	lock     *os.File
}

// New makes a stand without machines. It first removes the remains of killed runs, of this stand and of others; a stand that a running
// process holds stays, and is an error if it has this name.
func New(ctx context.Context, name string) (*Stand, error) {
	if !standName.MatchString(name) {
		return nil, fmt.Errorf("stand: got %q, want at most 24 lowercase letters, digits and dashes", name)
	}
	Sweep(ctx)
	s := &Stand{Name: name, Dir: filepath.Join(Directory, name)}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	if err := s.take(); err != nil {
		return nil, err
	}
	if err := s.clear(ctx); err != nil {
		return nil, err
	}
	if err := allowMappings(); err != nil {
		return nil, err
	}
	steps := [][]string{{"netns", "add", s.netns()}, {"-n", s.netns(), "link", "set", "lo", "up"}}
	for i, bridge := range bridges {
		// Multicast snooping is off, since nothing here queries for listeners.
		steps = append(steps,
			[]string{"-n", s.netns(), "link", "add", bridge, "address", fmt.Sprintf("52:54:00:ff:00:%02x", i), "type", "bridge", "mcast_snooping", "0"},
			[]string{"-n", s.netns(), "link", "set", bridge, "up"})
		if address := bridgeAddress(i); address != "" {
			steps = append(steps, []string{"-n", s.netns(), "addr", "add", address, "dev", bridge})
		}
	}
	for _, args := range steps {
		if err := ip(ctx, args...); err != nil {
			return nil, errors.Join(err, s.Close(ctx))
		}
	}
	return s, nil
}

// bridgeAddress is what the stand itself has in a bridge; none in the trunk.
func bridgeAddress(bridge int) string {
	if bridges[bridge] == "trunk" {
		return ""
	}
	return fmt.Sprintf("10.%d.0.254/24", 77+bridge)
}

// take locks the stand's directory for as long as this process lives.
func (s *Stand) take() error {
	lock, err := os.OpenFile(filepath.Join(s.Dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("stand %s: another process has it: wait for its end, or take another name", s.Name), lock.Close())
	}
	s.lock = lock
	return nil
}

func (s *Stand) netns() string { return prefix + s.Name }

// Close ends all machines and removes the stand. It may be called again.
func (s *Stand) Close(ctx context.Context) error {
	err := s.clear(ctx)
	if s.lock != nil {
		err = errors.Join(err, os.RemoveAll(s.Dir), s.lock.Close())
		s.lock = nil
	}
	s.machines = nil
	return err
}

// clear ends what runs in the stand's namespace, and removes the namespace and the files of machines.
func (s *Stand) clear(ctx context.Context) error {
	if err := s.kill(ctx); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join("/run/netns", s.netns())); err == nil {
		if err := ip(ctx, "netns", "del", s.netns()); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(s.Dir)
	for _, e := range entries {
		if e.Name() != "lock" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.Dir, e.Name())))
		}
	}
	return err
}

// kill kills every process of the stand's namespace, until none is left.
func (s *Stand) kill(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join("/run/netns", s.netns())); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return eventually(ctx, func() error {
		out, err := exec.CommandContext(ctx, "ip", "netns", "pids", s.netns()).Output()
		if err != nil {
			return fmt.Errorf("processes of %s: %w", s.netns(), err)
		}
		for _, word := range strings.Fields(string(out)) {
			var pid int
			if _, err := fmt.Sscan(word, &pid); err == nil {
				_ = unix.Kill(pid, unix.SIGKILL) // it may have ended by itself
			}
		}
		if len(out) > 0 {
			return fmt.Errorf("stand %s: processes still run: %s", s.Name, strings.Join(strings.Fields(string(out)), " "))
		}
		return nil
	})
}

// Sweep removes the stands that no process has any more. It keeps those of Keep.
func Sweep(ctx context.Context) {
	entries, _ := os.ReadDir(Directory)
	for _, e := range entries {
		s := &Stand{Name: e.Name(), Dir: filepath.Join(Directory, e.Name())}
		if _, err := os.Stat(s.kept()); err == nil || s.take() != nil {
			continue
		}
		_ = s.Close(ctx) // what cannot be removed now is met by the next run
	}
}

// kept marks a stand that stays without a process.
func (s *Stand) kept() string { return filepath.Join(s.Dir, "kept") }

// Keep lets the stand and its machines stay after this process, until Remove.
func (s *Stand) Keep() error { return os.WriteFile(s.kept(), nil, 0o600) }

// Remove removes a stand that was kept.
func Remove(ctx context.Context, name string) error {
	s := &Stand{Name: name, Dir: filepath.Join(Directory, name)}
	if _, err := os.Stat(s.Dir); err != nil {
		return nil
	}
	if err := s.take(); err != nil {
		return err
	}
	return s.Close(ctx)
}

// ip runs ip(8).
func ip(ctx context.Context, args ...string) error {
	if out, err := exec.CommandContext(ctx, "ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
