// SPDX-License-Identifier: Apache-2.0

package frr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/daemon/agent/bgp"
)

// Router is a router that FRR runs. Its interface and the addresses on it must exist before it runs.
type Router struct {
	Config bgp.Config     // Port and Transit are ignored: FRR announces peers' routes to one another
	World  []netip.Prefix // announced
	Dir    string         // for all files of the programs; it is created
	// ExtendedNextHop makes peers of IPv6 get routes of IPv4 with a next hop of IPv6 (RFC 8950).
	ExtendedNextHop bool
}

const (
	// programs is the package's directory of daemons.
	programs = "/usr/lib/frr"
	// inside is the path of the router's directory for the daemons, in a mount namespace of their own: they give up root, and may be unable
	// to reach the directory of the lab. Files beside their sockets, such as crash reports, go below /var/tmp.
	inside = "/var/tmp"
	// account is the user of the daemons.
	account = "frr"
)

// Limits of starting and of leaving.
const (
	startTimeout = 20 * time.Second
	leaveTimeout = 5 * time.Second
	startWait    = 500 * time.Millisecond
)

// Run routes until ctx ends: it starts zebra and bgpd in this process's network namespace, calls ready once bgpd listens, and copies their
// logs to log. When ctx ends it closes the sessions, so that peers withdraw what was announced, and ends both. It returns early if one of
// them ends. A process that may be killed should be process 1 of a PID namespace, so that they are killed too: they change their user, and
// then the kernel does not end them with their parent.
func (r *Router) Run(ctx context.Context, log io.Writer, ready func()) error {
	done := make(chan error, 1)
	go func() {
		// The thread gets mounts of its own, and ends with this function: it is not used again.
		runtime.LockOSThread()
		done <- r.run(ctx, log, ready)
	}()
	return <-done
}

func (r *Router) run(ctx context.Context, log io.Writer, ready func()) error {
	if err := r.prepare(); err != nil {
		return err
	}
	ended := make(chan error, 2)
	var running []*exec.Cmd
	defer func() { end(running, ended) }()
	for _, d := range daemons {
		cmd := exec.Command(filepath.Join(programs, d.name), d.args...)
		cmd.Stdout, cmd.Stderr = log, log
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start %s: %w", d.name, err)
		}
		running = append(running, cmd)
		go func() {
			err := cmd.Wait()
			ended <- fmt.Errorf("%s has ended: %w", d.name, errors.Join(err, errEnded))
		}()
		if err := r.await(ctx, d.socket, ended); err != nil {
			return fmt.Errorf("start %s: %w", d.name, err)
		}
	}
	ready()
	select {
	case err := <-ended:
		ended <- err // for the count
		return err
	case <-ctx.Done():
		return r.leave()
	}
}

// errEnded means that a daemon has ended.
var errEnded = errors.New("the router is gone with it")

// daemons are started in this order, each when the one before is ready.
var daemons = []struct {
	name   string
	args   []string
	socket string // exists once it is ready
}{
	// -K: routes that an earlier zebra has left in the kernel stay until bgpd has announced them again.
	{"zebra", []string{"-f", "/dev/null", "-i", inside + "/zebra.pid", "-z", inside + "/zserv.api", "--vty_socket", inside, "-P", "0",
		"-K", strconv.Itoa(restartTime), "--log", "stdout", "--log-level", "notifications"}, "zserv.api"},
	{"bgpd", []string{"-f", inside + "/bgpd.conf", "-i", inside + "/bgpd.pid", "-z", inside + "/zserv.api", "--vty_socket", inside, "-P", "0",
		"--log", "stdout", "--log-level", "notifications"}, "bgpd.vty"},
}

// prepare makes the directory, the configuration in it, and the mount point for the daemons.
func (r *Router) prepare() error {
	for _, d := range daemons {
		if _, err := os.Stat(filepath.Join(programs, d.name)); err != nil {
			return fmt.Errorf("FRR is not installed: apt-get install frr (or make deps): %w", err)
		}
	}
	who, err := user.Lookup(account)
	if err != nil {
		return fmt.Errorf("the account of FRR: %w", err)
	}
	uid, wrongUser := strconv.Atoi(who.Uid)
	gid, wrongGroup := strconv.Atoi(who.Gid)
	if err := errors.Join(wrongUser, wrongGroup); err != nil {
		return err
	}
	if err := os.RemoveAll(r.Dir); err != nil { // of a router that was killed
		return err
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	if err := os.Chown(r.Dir, uid, gid); err != nil {
		return err
	}
	for name, text := range map[string]string{"bgpd.conf": r.text(), "vtysh.conf": ""} {
		path := filepath.Join(r.Dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o640), os.Chown(path, uid, gid)); err != nil {
			return err
		}
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("mounts of its own: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts from the machine: %w", err)
	}
	if err := unix.Mount(r.Dir, inside, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount %s at %s: %w", r.Dir, inside, err)
	}
	return nil
}

// await waits until a socket of a daemon accepts connections.
func (r *Router) await(ctx context.Context, socket string, ended chan error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: filepath.Join(inside, socket)})
		if err = errors.Join(err, unix.Close(fd)); err == nil {
			return nil
		}
		select {
		case end := <-ended:
			ended <- end // for the count
			return end
		case <-ctx.Done():
			return fmt.Errorf("socket %s does not answer: %w", socket, err)
		case <-tick.C:
		}
	}
}

// end ends the daemons, bgpd first: zebra then removes its routes from the kernel.
func end(running []*exec.Cmd, ended chan error) {
	for _, cmd := range slices.Backward(running) {
		_ = cmd.Process.Signal(unix.SIGTERM) // it has ended, or does now
	}
	late := time.AfterFunc(leaveTimeout, func() {
		for _, cmd := range running {
			_ = cmd.Process.Kill()
		}
	})
	defer late.Stop()
	for range running {
		<-ended
	}
}

// leave makes bgpd close its sessions for good, and gives peers time to receive that.
func (r *Router) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	lines := []string{"-c", "configure terminal", "-c", fmt.Sprintf("router bgp %d", r.Config.AS)}
	for i := range r.Config.Peers {
		lines = append(lines, "-c", fmt.Sprintf("neighbor %s shutdown", r.Config.Peers[i].Address))
	}
	if out, err := Shell(ctx, inside, lines...).CombinedOutput(); err != nil {
		return fmt.Errorf("close the sessions: %w: %s", err, strings.TrimSpace(string(out)))
	}
	time.Sleep(startWait)
	return nil
}

// Shell is FRR's vtysh for the router with that directory, to be run anywhere on the machine.
func Shell(ctx context.Context, folder string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "vtysh", append([]string{"--vty_socket", folder, "--config_dir", folder}, args...)...)
}
