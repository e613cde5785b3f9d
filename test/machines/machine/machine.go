// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Spec describes a machine.
type Spec struct {
	Parts  Parts
	Memory int // MiB
	Disks  int // further disks, empty, beside the one of the root
}

// Machine is a machine of a stand: it has disks and cables, and is on or off.
type Machine struct {
	Name   string // h1, h2, ...
	Number int
	Spec   Spec
	stand  *Stand
	cmd    *exec.Cmd
	ended  chan struct{} // closed when the process has ended
	began  int64         // size of the console's log before the last boot
}

// bootTimeout is how long a machine may take to answer. Machines of tests that share two processors take ten seconds.
const bootTimeout = 3 * time.Minute

// Add adds a machine, which is off.
func (s *Stand) Add(ctx context.Context, spec Spec) (*Machine, error) {
	m := &Machine{Number: len(s.machines) + 1, Spec: spec, stand: s}
	m.Name = fmt.Sprintf("h%d", m.Number)
	for i, bridge := range bridges {
		for _, args := range [][]string{
			{"ip", "tuntap", "add", m.tap(i), "mode", "tap"},
			{"ip", "link", "set", m.tap(i), "master", bridge, "up"},
		} {
			if err := ip(ctx, append([]string{"netns", "exec", s.netns()}, args...)...); err != nil {
				return nil, err
			}
		}
	}
	for i := range spec.Disks {
		if err := makeDisk(m.disk(i + 1)); err != nil {
			return nil, err
		}
	}
	s.machines = append(s.machines, m)
	return m, nil
}

// Address is the machine's address on eth0, without a prefix.
func (m *Machine) Address() string { return m.address(1) }

func (m *Machine) address(bridge int) string { return fmt.Sprintf("10.%d.0.%d", 77+bridge, m.Number) }

// MAC is the link address of an interface: 0 is mgmt0, 1 eth0, 2 eth1.
func (m *Machine) MAC(nic int) string { return fmt.Sprintf("52:54:00:77:%02x:%02x", nic, m.Number) }

// ID is the machine id, which a lost disk does not change.
func (m *Machine) ID() string {
	return strings.Repeat("0", 20) + digest(m.stand.Name, m.Name)
}

// Boot switches the machine on, and waits until it takes commands and systemd has started what it starts.
func (m *Machine) Boot(ctx context.Context) error {
	err := m.boot(ctx)
	if err == nil || ctx.Err() != nil || !m.stuck() {
		return err
	}
	// On a busy machine User-Mode Linux stops now and then while its kernel starts. That says nothing of what is tested.
	if err := m.CutPower(); err != nil {
		return err
	}
	return m.boot(ctx)
}

// boot starts the kernel once, and waits until the machine takes commands.
func (m *Machine) boot(ctx context.Context) error {
	if m.On() {
		return fmt.Errorf("boot %s: it is on", m.Name)
	}
	if err := m.disksFree(ctx); err != nil {
		return fmt.Errorf("boot %s: %w", m.Name, err)
	}
	console, err := os.OpenFile(m.consolePath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = console.Close() }()
	if info, err := console.Stat(); err == nil {
		m.began = info.Size()
	}
	processor, err := m.processor()
	if err != nil {
		return fmt.Errorf("boot %s: %w", m.Name, err)
	}
	cmd := exec.Command("ip", append([]string{"netns", "exec", m.stand.netns(), "taskset", "--cpu-list", strconv.Itoa(processor), m.Spec.Parts.Kernel}, m.args()...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = m.stand.Dir, console, console
	cmd.Env = append(os.Environ(), "TMPDIR="+memoryFolder)
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("boot %s: %w", m.Name, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is in the console's log
		close(ended)
	}()
	m.cmd, m.ended = cmd, ended
	if err := m.answers(ctx); err != nil {
		return err
	}
	return m.segment(ctx)
}

// segment has the stand's ends of the machine's cables segment and checksum what they hand to the machine, which takes no segments larger
// than its MTU (gro=0): bulk TCP would stall. The kernel of the machine switches offloads on when it opens an interface, so this comes after
// each boot.
func (m *Machine) segment(ctx context.Context) error {
	for i := range bridges {
		if err := ip(ctx, "netns", "exec", m.stand.netns(), "ethtool", "-K", m.tap(i), "tx", "off", "tso", "off", "gso", "off"); err != nil {
			return err
		}
	}
	return nil
}

// memoryFolder is where the memory of machines is: a file without a name, which takes what a machine has touched.
const memoryFolder = "/dev/shm"

// args are the command line of the kernel.
func (m *Machine) args() []string {
	args := []string{
		fmt.Sprintf("mem=%dM", m.Spec.Memory), "root=/dev/ubda", "rw", "systemd.show_status=false", "con0=null,fd:1", "con=null",
		"uml_dir=" + filepath.Join(m.stand.Dir, "control"), "umid=" + m.Name, "ubd0=" + m.disk(0) + "," + m.Spec.Parts.Root,
		"systemd.machine_id=" + m.ID(), "machine.name=" + m.Name,
		"machine.mgmt=" + m.address(0) + "/24", "machine.address=" + m.address(1) + "/24", "machine.gateway=10.78.0.254",
	}
	for i := range m.Spec.Disks {
		args = append(args, fmt.Sprintf("ubd%d=%s", i+1, m.disk(i+1)))
	}
	for i := range bridges {
		args = append(args, fmt.Sprintf("vec%d:transport=tap,ifname=%s,depth=128,gro=0,mac=%s", i, m.tap(i), m.MAC(i)))
	}
	return args
}

// answers waits until the machine takes commands and has started what it starts.
func (m *Machine) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, bootTimeout, fmt.Errorf("waited %s", bootTimeout))
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	go func() {
		select {
		case <-m.ended:
			fail(errors.New("its process has ended"))
		case <-ctx.Done():
		}
	}()
	err := eventually(ctx, func() error { _, err := m.Run(ctx, "true"); return err })
	if err == nil {
		// The caller sees the units that failed to start; the state only says that systemd is done.
		_, err = m.Run(ctx, "systemctl is-system-running --wait || [ \"$(systemctl is-system-running)\" = degraded ]")
	}
	if err != nil {
		return fmt.Errorf("%s does not boot: %w; its console:\n%s", m.Name, err, m.Console(20))
	}
	return nil
}

// On reports whether the machine is on.
func (m *Machine) On() bool {
	if m.cmd == nil {
		return false
	}
	select {
	case <-m.ended:
		return false
	default:
		return true
	}
}

// CutPower takes the power from the machine: what it had not written to its disks is lost.
func (m *Machine) CutPower() error {
	if !m.On() {
		return nil
	}
	if err := unix.Kill(-m.cmd.Process.Pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("cut the power of %s: %w", m.Name, err)
	}
	<-m.ended
	return nil
}

// Reboot shuts the machine down as an operator does, and boots it again.
func (m *Machine) Reboot(ctx context.Context) error {
	if !m.On() {
		return fmt.Errorf("reboot %s: it is off: boot it", m.Name)
	}
	// The connection may end before the command does.
	_, _ = m.Run(ctx, "systemctl poweroff")
	select {
	case <-m.ended:
	case <-time.After(bootTimeout):
		return fmt.Errorf("reboot %s: it did not shut down within %s; its console:\n%s", m.Name, bootTimeout, m.Console(20))
	case <-ctx.Done():
		return fmt.Errorf("reboot %s: it did not shut down: %w", m.Name, context.Cause(ctx))
	}
	return m.Boot(ctx)
}
