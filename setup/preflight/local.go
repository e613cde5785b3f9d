// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet/link"
)

// Local is the machine that the process runs on.
type Local struct{}

// Root reports whether the process runs as root.
func (Local) Root() bool { return os.Geteuid() == 0 }

// Kernel returns the kernel's release.
func (Local) Kernel() (string, error) {
	var u unix.Utsname
	err := unix.Uname(&u)
	return unix.ByteSliceToString(u.Release[:]), err
}

// Module searches the loaded modules, those built into the kernel, and those that modprobe finds.
func (Local) Module(ctx context.Context, name string) bool {
	if _, err := os.Stat("/sys/module/" + name); err == nil {
		return true
	}
	if builtIn(name) {
		return true
	}
	return exec.CommandContext(ctx, "modprobe", "--dry-run", "--quiet", name).Run() == nil
}

// builtIn searches the kernel's symbols for a function of the module: a built-in module without parameters appears nowhere else.
func builtIn(name string) bool {
	function := map[string]string{"veth": "veth_setup", "nf_tables": "nf_tables_newtable", "openvswitch": "ovs_dp_process_packet"}[name]
	symbols, err := os.Open("/proc/kallsyms")
	if function == "" || err != nil {
		return false
	}
	defer func() { _ = symbols.Close() }()
	for lines := bufio.NewScanner(symbols); lines.Scan(); {
		if strings.HasSuffix(lines.Text(), " "+function) {
			return true
		}
	}
	return false
}

// Switch queries ovsdb-server, and ovs-vswitchd, whose socket is in the same directory.
func (Local) Switch(ctx context.Context, socket string) (string, error) {
	out, err := exec.CommandContext(ctx, "ovs-vsctl", "--timeout=5", "--db=unix:"+socket, "--bare", "--columns=_uuid", "list", "Open_vSwitch").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	ask := exec.CommandContext(ctx, "ovs-appctl", "--timeout=5", "version")
	ask.Env = append(os.Environ(), "OVS_RUNDIR="+filepath.Dir(socket))
	if out, err = ask.CombinedOutput(); err != nil {
		return "", fmt.Errorf("ovs-vswitchd: %w: %s", err, strings.TrimSpace(string(out)))
	}
	line, _, _ := strings.Cut(string(out), "\n") // "ovs-vswitchd (Open vSwitch) 3.1.0"
	return line[strings.LastIndexByte(line, ' ')+1:], nil
}

// Listen listens and closes the socket at once.
func (Local) Listen(network, address string) error {
	if network == "udp" {
		c, err := net.ListenPacket(network, address)
		if err == nil {
			err = c.Close()
		}
		return err
	}
	l, err := net.Listen(network, address)
	if err == nil {
		err = l.Close()
	}
	return err
}

// MTU searches all interfaces.
func (Local) MTU(a netip.Addr) (int, string, error) {
	all, err := net.Interfaces()
	if err != nil {
		return 0, "", err
	}
	for _, i := range all {
		addresses, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, one := range addresses {
			if p, err := netip.ParsePrefix(one.String()); err == nil && p.Addr().Unmap() == a.Unmap() {
				return i.MTU, i.Name, nil
			}
		}
	}
	return 0, "", fmt.Errorf("no interface has %s", a)
}

// Free reads the free space of the directory's file system, or that of its first existing parent.
func (Local) Free(dir string) (int64, error) {
	for {
		var s unix.Statfs_t
		err := unix.Statfs(dir, &s)
		if err == nil {
			return int64(s.Bavail) * s.Bsize, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return 0, err
		}
		dir = up
	}
}

// Now returns the current time.
func (Local) Now() time.Time { return time.Now() }

// Datapath queries the kernel.
func (Local) Datapath() error { return link.KernelDatapath() }

// searched are the directories in which programs of an administrator are, besides those of $PATH.
var searched = []string{"/usr/sbin", "/sbin"}

// Output runs a program with messages in English.
func (Local) Output(ctx context.Context, name string, args ...string) ([]byte, error) {
	path, err := exec.LookPath(name)
	for i := 0; err != nil && i < len(searched); i++ {
		path, err = exec.LookPath(filepath.Join(searched[i], name))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, exec.ErrNotFound)
	}
	var wrong bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(wrong.String()))
	}
	return out, nil
}

// ReadFile reads a file.
func (Local) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// Names lists a directory.
func (Local) Names(dir string) (out []string, err error) {
	all, err := os.ReadDir(dir)
	for _, e := range all {
		out = append(out, e.Name())
	}
	return out, err
}
