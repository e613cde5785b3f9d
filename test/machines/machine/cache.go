// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// KernelsVariable names a directory of ready kernels, linux-SERIES-uml or linux-SERIES-uml.xz, which are taken instead of built ones.
const KernelsVariable = "CONTIV_MACHINES_KERNELS"

// Cache is the directory where root file systems and kernels are kept, each by what it is made of.
type Cache struct {
	Dir     string
	Kernels string    // directory of ready kernels; empty: none
	Log     io.Writer // what is made and how long it took
}

// Parts are what a machine of a release is booted from.
type Parts struct {
	Release Release
	Kernel  string // program
	Root    string // image; machines write into copies
	Key     string // of ssh
}

// Find finds the parts of a release, which Prepare has made.
func (c Cache) Find(r Release) (Parts, error) {
	p := Parts{Release: r, Kernel: c.kernelPath(r), Root: c.rootPath(r), Key: c.keyPath()}
	for _, path := range []string{p.Kernel, p.Root, p.Key} {
		if _, err := os.Stat(path); err != nil {
			return Parts{}, fmt.Errorf("machines of %s: %s is not there: make machines makes it", r, path)
		}
	}
	return p, nil
}

// Prepare makes the parts of a release that are not there. Of several that prepare at once, one works and the others wait.
func (c Cache) Prepare(ctx context.Context, r Release) (Parts, error) {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return Parts{}, err
	}
	lock, err := os.OpenFile(filepath.Join(c.Dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return Parts{}, err
	}
	defer func() { _ = lock.Close() }()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return Parts{}, fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	for _, step := range []struct {
		what string
		path func(Release) string
		make func(context.Context, Release, string) error
	}{
		{"key of ssh", func(Release) string { return c.keyPath() }, c.makeKey},
		{"kernel " + r.Kernel, c.kernelPath, c.makeKernel},
		{"root of " + r.String(), c.rootPath, c.makeRoot},
	} {
		path := step.path(r)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		start := time.Now()
		fmt.Fprintf(c.Log, "machines: %s is made; commands print to %s\n", step.what, c.logPath())
		if err := step.make(ctx, r, path); err != nil {
			return Parts{}, fmt.Errorf("make %s: %w", step.what, err)
		}
		fmt.Fprintf(c.Log, "machines: %s is there (%s)\n", step.what, time.Since(start).Round(time.Second))
	}
	return c.Find(r)
}

func (c Cache) logPath() string { return filepath.Join(c.Dir, "prepare.log") }

// digest names content.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

func (c Cache) keyPath() string { return filepath.Join(c.Dir, "key") }

func (c Cache) makeKey(ctx context.Context, _ Release, path string) error {
	return c.run(ctx, "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "machines", "-f", path)
}

// run runs a command in a directory. Its output goes to the log; an error contains the end of it.
func (c Cache) run(ctx context.Context, dir, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	return c.logged(cmd)
}

func (c Cache) logged(cmd *exec.Cmd) error {
	log, err := os.OpenFile(c.logPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	fmt.Fprintf(log, "\n$ %s\n", strings.Join(cmd.Args, " "))
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w; it printed last:\n%s", strings.Join(cmd.Args[:min(3, len(cmd.Args))], " "), err, tail(c.logPath(), 15))
	}
	return nil
}

// tail is the end of a text file.
func tail(path string, lines int) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r", ""), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
