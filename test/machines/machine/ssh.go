// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Command is a command that runs on the machine, in root's shell. It is not started.
func (m *Machine) Command(ctx context.Context, shell string) *exec.Cmd {
	return sshCommand(ctx, m.stand.netns(), m.Spec.Parts.Key, m.address(0), nil, shell)
}

// Beside is a program of this machine that runs in the machine's network, at the stand's own addresses. It is not started.
func (m *Machine) Beside(ctx context.Context, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "ip", append([]string{"netns", "exec", m.stand.netns(), program}, args...)...)
}

// sshCommand reaches a machine of a stand.
func sshCommand(ctx context.Context, netns, key, address string, options []string, words ...string) *exec.Cmd {
	args := append([]string{"netns", "exec", netns, "ssh", "-o", "LogLevel=ERROR", "-i", key, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
		"-o", "BatchMode=yes", "-o", "ConnectTimeout=30", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=6"}, options...)
	return exec.CommandContext(ctx, "ip", append(append(args, "root@"+address, "--"), words...)...)
}

// Enter is Command on a machine of a stand that was kept, by the name of the machine; without a command a shell in a terminal.
func Enter(ctx context.Context, stand, host, shell string) (*exec.Cmd, error) {
	var number int
	if _, err := fmt.Sscanf(host, "h%d", &number); err != nil {
		return nil, fmt.Errorf("machine: got %q, want hN, such as h1", host)
	}
	s := &Stand{Name: stand, Dir: filepath.Join(Directory, stand)}
	m := &Machine{Name: host, Number: number, stand: s}
	if _, err := os.Stat(m.disk(0)); err != nil {
		return nil, fmt.Errorf("machine %s is not up", host)
	}
	key := filepath.Join(s.Dir, "key")
	if shell == "" {
		return sshCommand(ctx, s.netns(), key, m.address(0), []string{"-t"}), nil
	}
	return sshCommand(ctx, s.netns(), key, m.address(0), nil, shell), nil
}

// Run runs a command in root's shell and returns what it prints, without white space around it.
func (m *Machine) Run(ctx context.Context, shell string) (string, error) {
	start := time.Now()
	out, err := m.Command(ctx, shell).CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil { // ssh's own status is 255: the time shows whether the machine did not answer for 30 seconds
		return text, fmt.Errorf("%s: %s: %w after %s: %s", m.Name, shell, err, time.Since(start).Round(time.Second/10), text)
	}
	return text, nil
}

// Put copies a file onto the machine, with its mode.
func (m *Machine) Put(ctx context.Context, from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return m.Feed(ctx, f, fmt.Sprintf("cat >%s && chmod %o %s", quote(to), info.Mode().Perm(), quote(to)))
}

// Feed runs a command in root's shell that reads from in.
func (m *Machine) Feed(ctx context.Context, in io.Reader, shell string) error {
	cmd := m.Command(ctx, shell)
	cmd.Stdin = in
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %s: %w: %s", m.Name, shell, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Get copies a file from the machine.
func (m *Machine) Get(ctx context.Context, from, to string) error {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	var errs strings.Builder
	cmd := m.Command(ctx, "cat "+quote(from))
	cmd.Stdout, cmd.Stderr = f, &errs
	if err := cmd.Run(); err != nil {
		return errors.Join(fmt.Errorf("copy %s from %s: %w: %s", from, m.Name, err, errs.String()), f.Close(), os.Remove(to))
	}
	return f.Close()
}

// Mount gives the machine a directory of this machine, by the same path. Files that the machine writes there are written here. The
// directory is the whole text of the option, as mount(2) takes it and the newer fsconfig(2) does not: libmount is to use the former.
func (m *Machine) Mount(ctx context.Context, path string) error {
	_, err := m.Run(ctx, fmt.Sprintf("mkdir -p %s && LIBMOUNT_FORCE_MOUNT2=always mount -t hostfs -o %s none %s", quote(path), quote(path), quote(path)))
	return err
}

// quote writes a word as a shell reads it.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
