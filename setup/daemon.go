// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/setup/unit"
)

// A Starter starts and stops daemons. Start keeps a running daemon unless its configuration has changed; then it restarts the
// daemon.
type Starter interface {
	Start(ctx context.Context, daemon string) (did string, err error)
	Stop(ctx context.Context, daemon string) (did string, err error)
	// Log returns the end of a daemon's log since a time, or "" if there is none or the log is unknown.
	Log(ctx context.Context, daemon string, since time.Time) (string, error)
}

// runs returns the step that starts a daemon.
func runs(s Starter, daemon string) Step {
	return Step{
		Name: "start " + daemon,
		Do:   func(ctx context.Context) (string, error) { return s.Start(ctx, daemon) },
		Undo: func(ctx context.Context) (string, error) { return s.Stop(ctx, daemon) },
	}
}

// Detached starts daemons as processes that outlive this one, for hosts without a service manager. The daemons write to log files.
type Detached struct{ Host *Host }

// stopTimeout is how long Stop waits for a daemon to end.
const stopTimeout = 20 * time.Second

// Start starts a daemon. A process with the same settings and program stays; one with others is stopped first.
func (d Detached) Start(ctx context.Context, daemon string) (string, error) {
	h := d.Host
	env := h.Variables(daemon)
	if env == nil {
		return "", fmt.Errorf("read %s: %w", h.SettingsFile(daemon), fs.ErrNotExist)
	}
	by, err := digest(h, daemon)
	if err != nil {
		return "", err
	}
	if pid, runs := h.process(daemon); pid != 0 {
		if runs == by {
			return "", nil
		}
		if _, err := d.Stop(ctx, daemon); err != nil {
			return "", err
		}
	}
	path := h.LogFile(daemon)
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(h.pidFile(daemon))} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
	}
	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o640)
	if err != nil {
		return "", err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(filepath.Join(h.Bin, daemon))
	cmd.Stdout, cmd.Stderr, cmd.Env = log, log, os.Environ()
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	pid := cmd.Process.Pid
	go func() { _ = cmd.Wait() }() // reaps a daemon that ends while this process runs
	if _, err := write(h.pidFile(daemon), []byte(fmt.Sprintf("%d\n%s\n", pid, by)), 0o644); err != nil {
		return "", err
	}
	return fmt.Sprintf("started %s (pid %d); it writes to %s", daemon, pid, path), nil
}

// Stop ends a daemon, and blocks until it has ended.
func (d Detached) Stop(ctx context.Context, daemon string) (string, error) {
	pid := d.Host.pid(daemon)
	if pid == 0 {
		_, err := remove(d.Host.pidFile(daemon))
		return "", err
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	if err := await(ctx, func() bool { return d.Host.pid(daemon) == 0 }); err != nil {
		return "", fmt.Errorf("%s (pid %d) did not end: kill -9 %d", daemon, pid, pid)
	}
	_, err := remove(d.Host.pidFile(daemon))
	return "stopped " + daemon, err
}

// pid returns the process id of a detached daemon, or 0 if it does not run.
func (h *Host) pid(daemon string) int {
	pid, _ := h.process(daemon)
	return pid
}

// process returns the process id of a detached daemon and the digest of its program and settings. The id is 0 if the daemon does
// not run; an older contiv recorded no digest.
func (h *Host) process(daemon string) (pid int, by string) {
	text, err := os.ReadFile(h.pidFile(daemon))
	if err != nil {
		return 0, ""
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	pid, err = strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0, ""
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // empty for a zombie
	if program, _, _ := strings.Cut(string(line), "\x00"); err != nil || filepath.Base(program) != daemon {
		return 0, "" // another process has reused the id
	}
	return pid, strings.TrimSpace(rest)
}

// Systemd starts daemons through the service manager, now and at boot.
type Systemd struct {
	Host    *Host
	Ctl     func(ctx context.Context, args ...string) error           // systemctl
	Journal func(ctx context.Context, args ...string) (string, error) // journalctl
	// Sysusers creates users, given in the format of sysusers.d(5).
	Sysusers func(ctx context.Context, text string) error
	// Release is the release of systemd, such as 252, or 0 if it is unknown.
	Release int
}

// growingPauses is the first release of systemd that knows RestartSteps (systemd.service(5)). Older ones warn of it at each daemon-reload.
const growingPauses = 254

// SystemdRelease returns the release of systemd, or 0 if systemctl does not report it.
func SystemdRelease(ctx context.Context) int {
	out, err := exec.CommandContext(ctx, "systemctl", "--version").Output()
	if err != nil {
		return 0
	}
	return parseRelease(string(out))
}

// parseRelease parses the output of systemctl --version: "systemd 252 (252.36-1~deb12u1)", and a line of features.
func parseRelease(text string) int {
	words := strings.Fields(text)
	if len(words) < 2 || words[0] != "systemd" {
		return 0
	}
	n, err := strconv.Atoi(words[1])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Systemctl runs systemctl.
func Systemctl(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "systemctl", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("systemctl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Booted reports whether the machine was booted with systemd (sd_booted(3)).
func Booted() bool {
	info, err := os.Stat("/run/systemd/system")
	return err == nil && info.IsDir()
}

// Start writes the unit of a daemon and starts it, without waiting until it is ready. A daemon that runs with the same unit, settings and
// program stays. A unit of a package is used as it is.
func (s Systemd) Start(ctx context.Context, daemon string) (string, error) {
	replaced, changed, err := s.prepare(ctx, daemon)
	if err != nil {
		return "", err
	}
	by, err := digest(s.Host, daemon)
	if err != nil {
		return "", err
	}
	other, err := write(s.Host.startedFile(daemon), []byte(by+"\n"), 0o600)
	if err != nil {
		return "", err
	}
	delayed := false
	if daemon == Netplugin {
		if delayed, err = s.delaySwitch(); err != nil {
			return "", err
		}
	}
	name := unit.Name(daemon)
	if !changed && !other && s.Ctl(ctx, "is-active", "--quiet", name) == nil {
		if delayed {
			return "", s.Ctl(ctx, "daemon-reload")
		}
		return "", nil
	}
	for _, args := range [][]string{{"daemon-reload"}, {"enable", name}, {"stop", name}, {"start", "--no-block", name}} { // only the new process answers a caller who waits for it
		if err := s.Ctl(ctx, args...); err != nil {
			return "", fmt.Errorf("%w; journalctl -u %s has details", err, name)
		}
	}
	return joined(replaced, "started "+name), nil
}

// prepare brings the unit of a daemon and the user of netmaster into being, and reports whether the unit has changed.
func (s Systemd) prepare(ctx context.Context, daemon string) (replaced string, changed bool, err error) {
	path := s.Host.unitFile(daemon)
	if s.Host.packaged(daemon) {
		removed, err := remove(path) // it would take precedence
		return when(removed, "removed "+path+": the unit of the package replaces it"), removed, err
	}
	if daemon == Netmaster {
		if err := s.Sysusers(ctx, unit.Sysusers); err != nil {
			return "", false, fmt.Errorf("user %s: %w", unit.User, err)
		}
	}
	text, err := unit.Render(daemon, s.Host.unitPaths(daemon, s.Release >= growingPauses))
	if err != nil {
		return "", false, err
	}
	changed, err = write(path, text, 0o644)
	return "", changed, err
}

// Stop stops a daemon and removes its unit, unless a package has it.
func (s Systemd) Stop(ctx context.Context, daemon string) (string, error) {
	if daemon == Netplugin {
		if err := s.undelaySwitch(ctx); err != nil {
			return "", err
		}
	}
	started, err := remove(s.Host.startedFile(daemon))
	if err != nil {
		return "", err
	}
	path := s.Host.unitFile(daemon)
	_, absent := os.Stat(path)
	if absent != nil && !started {
		return "", nil
	}
	name := unit.Name(daemon)
	if err := s.Ctl(ctx, "disable", "--now", name); err != nil {
		_, again := write(s.Host.startedFile(daemon), nil, 0o600)
		return "", errors.Join(err, again)
	}
	if _, err := remove(path); err != nil {
		return "", err
	}
	return "stopped " + name, s.Ctl(ctx, "daemon-reload")
}

// Sysusers has systemd create the users of a text in the format of sysusers.d(5). It keeps those that exist.
func Sysusers(ctx context.Context, text string) error {
	cmd := exec.CommandContext(ctx, "systemd-sysusers", "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("systemd-sysusers: %w: %s; create the user: useradd --system %s", err, strings.TrimSpace(string(out)), unit.User)
	}
	return nil
}

// digest identifies a daemon's program and settings.
func digest(h *Host, daemon string) (string, error) {
	sum := sha256.New()
	for _, path := range append([]string{filepath.Join(h.Bin, daemon), h.SettingsFile(daemon), h.EnvFile(daemon)}, h.ConfigFiles(daemon)...) {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(sum, f)
		_ = f.Close()
		if err != nil {
			return "", fmt.Errorf("read %s: %w", path, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// unitPaths returns the paths in the unit of a daemon that contiv writes.
func (h *Host) unitPaths(daemon string, growing bool) unit.Paths {
	return unit.Paths{Bin: h.Bin, Settings: h.SettingsFile(daemon), Operators: h.EnvFile(daemon), Etc: h.at("/etc/contiv"), State: h.at("/var/lib/contiv"),
		Store: h.StoreDir(), Growing: growing}
}

// ByHand starts nothing. It reports how to start a daemon.
type ByHand struct{ Host *Host }

// Start returns the command that starts a daemon.
func (b ByHand) Start(_ context.Context, daemon string) (string, error) {
	return fmt.Sprintf("start it: set -a; . %s; ! [ -e %[2]s ] || . %[2]s; %[3]s", b.Host.SettingsFile(daemon), b.Host.EnvFile(daemon), filepath.Join(b.Host.Bin, daemon)), nil
}

// Stop does nothing.
func (b ByHand) Stop(context.Context, string) (string, error) { return "", nil }

// awaitInterval is the interval at which await checks its condition.
const awaitInterval = 100 * time.Millisecond

// await blocks until a condition is true, or ctx ends.
func await(ctx context.Context, is func() bool) error {
	tick := time.NewTicker(awaitInterval)
	defer tick.Stop()
	for !is() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}
