// SPDX-License-Identifier: Apache-2.0

// Package ovstest starts a real Open vSwitch for one test or measurement: its own ovsdb-server and ovs-vswitchd, in a network namespace and
// a directory of their own, which are deleted when the test ends. Its datapath is the kernel's if the kernel has one, otherwise the one in
// user space. It needs root and Debian's openvswitch-switch package; a test that lacks them fails with an explanation.
package ovstest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
)

var serial atomic.Uint32

// TB is the part of the test that a switch needs: a *testing.T or *testing.B, or a program that measures. Fatal and Fatalf do not return.
// Cleanup functions run last in, first out, when the test ends.
type TB interface {
	Helper()
	Cleanup(func())
	Failed() bool
	Logf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// OVS is a running Open vSwitch.
type OVS struct {
	Dir   string // OVS_RUNDIR: sockets, pid files, logs
	NetNS string // name of the network namespace of ovs-vswitchd
	tb    TB
	procs map[string]*exec.Cmd
	user  bool // its datapath is the one in user space, even if the kernel has one
}

// Start runs an Open vSwitch without bridges and waits until it serves. It ends with the test.
func Start(tb TB) *OVS {
	tb.Helper()
	return start(tb, false)
}

// StartInOrder is Start for a test that needs the order in which packets are read from all ports: the datapath is the one in user space,
// whose single thread keeps the order, except on a machine with one processor, where the kernel's datapath keeps the order, too.
func StartInOrder(tb TB) *OVS {
	tb.Helper()
	return start(tb, runtime.NumCPU() > 1)
}

func start(tb TB, user bool) *OVS {
	tb.Helper()
	for _, p := range []string{"ovsdb-server", "ovs-vswitchd", "ovs-vsctl", "ovs-ofctl", "ovs-appctl", "ip"} {
		if _, err := exec.LookPath(p); err != nil {
			tb.Fatalf("ovstest: %s is not installed: apt-get install openvswitch-switch iproute2 (or make deps)", p)
		}
	}
	if os.Geteuid() != 0 {
		tb.Fatal("ovstest: a real switch needs root")
	}
	// Unix socket paths are limited to 107 bytes, which tb.TempDir can exceed.
	dir, err := os.MkdirTemp("", "ovs")
	if err != nil {
		tb.Fatal(err)
	}
	o := &OVS{
		Dir:   dir,
		NetNS: fmt.Sprintf("ovst%d-%d", os.Getpid(), serial.Add(1)),
		tb:    tb,
		procs: map[string]*exec.Cmd{},
		user:  user,
	}
	tb.Cleanup(o.stop)
	o.must("ip", "netns", "add", o.NetNS)
	o.must("ip", "-n", o.NetNS, "link", "set", "lo", "up")
	o.EmptyDB()
	o.StartDB()
	o.must("ovs-vsctl", "--db="+o.DB(), "--no-wait", "init")
	o.StartSwitch()
	return o
}

// DB is the OVSDB endpoint in ovs-vsctl's form, "unix:PATH".
func (o *OVS) DB() string { return "unix:" + o.DBSocket() }

// DBSocket is the path of the OVSDB socket.
func (o *OVS) DBSocket() string { return filepath.Join(o.Dir, "db.sock") }

// Mgmt is the path of a bridge's OpenFlow socket.
func (o *OVS) Mgmt(bridge string) string { return filepath.Join(o.Dir, bridge+".mgmt") }

// Bridge adds a bridge that speaks OpenFlow 1.3, is closed until it has flows, and waits for its socket.
func (o *OVS) Bridge(name string) {
	o.tb.Helper()
	o.Vsctl("add-br", name, "--", "set", "bridge", name, "datapath_type="+o.Datapath(), "fail_mode=secure",
		"protocols=OpenFlow13,OpenFlow15")
	o.waitSocket(o.Mgmt(name))
}

// Datapath is the type of the switch's bridges: the kernel's datapath if the kernel has one. All bridges have the same, since ovs-vswitchd
// cannot wait for the revalidators of two datapaths.
func (o *OVS) Datapath() string {
	if o.Kernel() {
		return "system"
	}
	return "netdev"
}

// Kernel reports whether the bridges are on the kernel's datapath.
func (o *OVS) Kernel() bool { return !o.user && link.KernelDatapath() == nil }

// Lacks returns the abilities that the datapath of Start does not have.
func Lacks() ofnet.Abilities { return lacks(link.KernelDatapath() == nil) }

// Lacks returns the abilities that the switch's datapath does not have.
func (o *OVS) Lacks() ofnet.Abilities { return lacks(o.Kernel()) }

// lacks: no kernel supports the flags of neighbor discovery.
func lacks(kernel bool) ofnet.Abilities {
	if kernel {
		return ofnet.NDExtensions
	}
	return 0
}

// Vsctl runs ovs-vsctl and returns its output.
func (o *OVS) Vsctl(args ...string) string {
	o.tb.Helper()
	return o.must("ovs-vsctl", append([]string{"--db=" + o.DB(), "--timeout=10"}, args...)...)
}

// Ofctl runs ovs-ofctl COMMAND on a bridge with OpenFlow 1.3 and returns its output.
func (o *OVS) Ofctl(command, bridge string, args ...string) string {
	o.tb.Helper()
	return o.must("ovs-ofctl", append([]string{"-OOpenFlow13", command, "unix:" + o.Mgmt(bridge)}, args...)...)
}

// Appctl runs ovs-appctl on ovs-vswitchd and returns its output.
func (o *OVS) Appctl(args ...string) string {
	o.tb.Helper()
	return o.must("ovs-appctl", append([]string{"-t", filepath.Join(o.Dir, "vswitchd.ctl")}, args...)...)
}

// IP runs ip(8) in the switch's network namespace.
func (o *OVS) IP(args ...string) string {
	o.tb.Helper()
	return o.must("ip", append([]string{"-n", o.NetNS}, args...)...)
}

// StartDB starts ovsdb-server; StopDB kills it.
func (o *OVS) StartDB() {
	o.tb.Helper()
	o.start("ovsdb-server", "ovsdb-server", o.Dir+"/conf.db", "--remote=punix:"+o.DBSocket(),
		"--log-file="+o.Dir+"/ovsdb-server.log", "--unixctl="+o.Dir+"/ovsdb.ctl", "-vconsole:off")
	o.waitSocket(o.DBSocket())
}

// EmptyDB replaces the database with an empty one, without the row that ovs-vsctl init creates. ovsdb-server must not run.
func (o *OVS) EmptyDB() {
	o.tb.Helper()
	file := filepath.Join(o.Dir, "conf.db")
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		o.tb.Fatal(err)
	}
	o.must("ovsdb-tool", "create", file, "/usr/share/openvswitch/vswitch.ovsschema")
}

// StopDB kills ovsdb-server, as a crash would.
func (o *OVS) StopDB() { o.kill("ovsdb-server") }

// StartSwitch starts ovs-vswitchd and waits until it answers.
func (o *OVS) StartSwitch() {
	o.tb.Helper()
	args := []string{"netns", "exec", o.NetNS, "ovs-vswitchd", o.DB(), "--log-file=" + o.Dir + "/ovs-vswitchd.log", "--unixctl=" + o.Dir + "/vswitchd.ctl", "-vconsole:off"}
	if !o.Kernel() {
		args = append(args, "--disable-system")
	}
	o.start("ovs-vswitchd", "ip", args...)
	o.waitSocket(filepath.Join(o.Dir, "vswitchd.ctl"))
}

// StopSwitch kills ovs-vswitchd, as a crash would.
func (o *OVS) StopSwitch() { o.kill("ovs-vswitchd") }

// SwitchPID is the process id of ovs-vswitchd.
func (o *OVS) SwitchPID() int { return o.procs["ovs-vswitchd"].Process.Pid }

func (o *OVS) env() []string {
	return append(os.Environ(), "OVS_RUNDIR="+o.Dir, "OVS_LOGDIR="+o.Dir, "OVS_DBDIR="+o.Dir)
}

func (o *OVS) must(name string, args ...string) string {
	o.tb.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = o.env()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		o.tb.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String()
}

func (o *OVS) start(name, program string, args ...string) {
	o.tb.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = o.env()
	if err := cmd.Start(); err != nil {
		o.tb.Fatalf("start %s: %v", name, err)
	}
	o.procs[name] = cmd
}

// Pause stops ovs-vswitchd with SIGSTOP: its sockets stay open, and accept what fits their buffers.
func (o *OVS) Pause() { o.signal("ovs-vswitchd", syscall.SIGSTOP) }

// Resume continues a paused ovs-vswitchd.
func (o *OVS) Resume() { o.signal("ovs-vswitchd", syscall.SIGCONT) }

// PauseDB and ResumeDB are Pause and Resume of ovsdb-server.
func (o *OVS) PauseDB() { o.signal("ovsdb-server", syscall.SIGSTOP) }

// ResumeDB continues a paused ovsdb-server.
func (o *OVS) ResumeDB() { o.signal("ovsdb-server", syscall.SIGCONT) }

func (o *OVS) signal(name string, s syscall.Signal) {
	o.tb.Helper()
	if err := o.procs[name].Process.Signal(s); err != nil {
		o.tb.Fatalf("%v to %s: %v", s, name, err)
	}
}

func (o *OVS) kill(name string) {
	cmd := o.procs[name]
	if cmd == nil {
		return
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	delete(o.procs, name)
}

func (o *OVS) stop() {
	if o.tb.Failed() {
		if log, err := os.ReadFile(o.Dir + "/ovs-vswitchd.log"); err == nil {
			lines := strings.Split(strings.TrimSpace(string(log)), "\n")
			o.tb.Logf("last lines of ovs-vswitchd.log:\n%s", strings.Join(lines[max(0, len(lines)-15):], "\n"))
		}
	}
	o.kill("ovs-vswitchd")
	o.kill("ovsdb-server")
	_ = exec.Command("ip", "netns", "del", o.NetNS).Run()
	_ = os.RemoveAll(o.Dir)
}

// waitSocket waits until something listens at path.
func (o *OVS) waitSocket(path string) {
	o.tb.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		if c, err := net.Dial("unix", path); err == nil {
			_ = c.Close()
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	o.tb.Fatalf("nothing listens at %s after 10 s", path)
}
