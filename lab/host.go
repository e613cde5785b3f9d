// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/lab/hostinit"
	"github.com/contiv/contiv/lab/kube"
	"github.com/contiv/contiv/trust"
)

// The maximum times for a part to become ready, and to stop.
const (
	startTimeout = 3 * time.Minute // an API server has taken one, when pods took all processors
	stopTimeout  = 20 * time.Second
	pollPause    = 20 * time.Millisecond
)

// pidFile holds the pid of a host's process 1, as the machine counts.
const pidFile = "init.pid"

// bootHost makes a host, wires it and starts its switch.
func (l *Lab) bootHost(ctx context.Context, host int) error {
	began := time.Now()
	if err := l.boot(ctx, host); err != nil {
		return fmt.Errorf("%s: %w", hostName(host), err)
	}
	l.printf("%s: network and Open vSwitch are up (%s)", hostName(host), time.Since(began).Round(time.Millisecond))
	return nil
}

func (l *Lab) boot(ctx context.Context, host int) error {
	dir := l.hostDir(hostName(host))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := l.placeStores(hostName(host)); err != nil {
		return err
	}
	schema := "/usr/share/openvswitch/vswitch.ovsschema"
	if err := command(ctx, "ovsdb-tool", "create", filepath.Join(dir, "conf.db"), schema); err != nil {
		return err
	}
	return l.power(ctx, host)
}

// power starts a host that has its directory, wires it and starts its switch.
func (l *Lab) power(ctx context.Context, host int) error {
	pid, err := l.spawn(host)
	if err != nil {
		return err
	}
	if err := l.wireHost(ctx, host, pid); err != nil {
		return err
	}
	if l.hasContainerd() {
		if err := l.configureContainerd(host); err != nil {
			return err
		}
	}
	if l.Kubernetes != nil {
		if err := l.prepareNode(ctx, host); err != nil {
			return err
		}
	}
	if err := l.startPart(host, PartOVSDB); err != nil {
		return err
	}
	if err := l.awaitPart(ctx, host, PartOVSDB); err != nil {
		return err
	}
	name := hostName(host)
	err = l.onHost(ctx, host, "ovs-vsctl", "--timeout=15", "--no-wait", "--", "init",
		"--", "set", "open_vswitch", ".", "external_ids:system-id="+name, "external_ids:hostname="+name)
	if err != nil {
		return err
	}
	if err := l.Start(ctx, name, PartOVS); err != nil || !l.LACP {
		return err
	}
	return l.wireChannel(ctx, host)
}

// spawn starts process 1 of a host and waits until it answers.
func (l *Lab) spawn(host int) (pid int, err error) {
	name := hostName(host)
	dir := l.hostDir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	log, err := os.Create(filepath.Join(dir, "init.log"))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	cmd := exec.Command(l.self, "host", dir, name)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true,
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC,
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start process 1: %w", err)
	}
	pid = cmd.Process.Pid
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }() // it outlives this program, or ends and is collected
	if err := os.WriteFile(filepath.Join(dir, pidFile), []byte(strconv.Itoa(pid)), 0o644); err != nil {
		return 0, err
	}
	if l.hasEngines() {
		if err := enterGroup(pid, l.cgroupHost(name)); err != nil {
			return 0, fmt.Errorf("control group of process 1: %w", err)
		}
	}
	for end := time.Now().Add(startTimeout); ; time.Sleep(pollPause) {
		_, err := hostinit.Call(dir, hostinit.Request{Op: "list"})
		if err == nil {
			return pid, nil
		}
		select {
		case <-dead:
			return 0, fmt.Errorf("process 1 ended: %s", tail(log.Name(), 5))
		default:
		}
		if time.Now().After(end) {
			return 0, err
		}
	}
}

// pid is the host's process 1, checked to be still ours: numbers are used again.
func (l *Lab) pid(host string) (int, error) {
	dir := l.hostDir(host)
	data, err := os.ReadFile(filepath.Join(dir, pidFile))
	if err != nil {
		return 0, fmt.Errorf("host %s is not up", host)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 0, fmt.Errorf("host %s: %w", host, err)
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || !bytes.Contains(line, []byte("\x00host\x00"+dir+"\x00")) {
		return 0, fmt.Errorf("host %s is dead", host)
	}
	return pid, nil
}

// Command is a program to be run on a host, in all of its namespaces.
func (l *Lab) Command(ctx context.Context, host string, args ...string) (*exec.Cmd, error) {
	pid, err := l.pid(host)
	if err != nil {
		return nil, err
	}
	enter := []string{"-t", strconv.Itoa(pid), "-m", "-u", "-i", "-n", "-p", "--"}
	cmd := exec.CommandContext(ctx, "nsenter", append(enter, args...)...)
	if len(l.dirs()) > 0 {
		cmd.Env = append(os.Environ(), l.path())
	}
	return cmd, nil
}

// dirs are those of other engines than the machine's.
func (p *Plan) dirs() []string {
	out := []string{p.DockerBin}
	if p.Kubernetes != nil {
		out = append(out, p.Kubernetes.Containerd, p.Kubernetes.Bin)
	}
	return slices.DeleteFunc(out, func(dir string) bool { return dir == "" })
}

// path is the environment variable that makes programs on a host find the programs of the lab's engines before the machine's.
func (l *Lab) path() string {
	return "PATH=" + strings.Join(append(l.dirs(), os.Getenv("PATH")), ":")
}

// inside is the machine's path of a host's path.
func (l *Lab) inside(host int, path string) (string, error) {
	pid, err := l.pid(hostName(host))
	return fmt.Sprintf("/proc/%d/root%s", pid, path), err
}

// onHost runs a program on a host to its end.
func (l *Lab) onHost(ctx context.Context, host int, args ...string) error {
	cmd, err := l.Command(ctx, hostName(host), args...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// startPart starts a part, with additional flags for this time, without waiting for it.
func (l *Lab) startPart(host int, part string, more ...string) error {
	args := l.args(host, part)
	if args == nil {
		return fmt.Errorf("%s has no %s", hostName(host), part)
	}
	args = append(args, more...)
	if err := l.startWith(host, part, args); err != nil {
		return fmt.Errorf("%s: start %s: %w", hostName(host), part, err)
	}
	return nil
}

// startWith starts a part by a command line.
func (l *Lab) startWith(host int, part string, args []string) error {
	path, err := l.lookPath(args[0])
	if err != nil {
		return err
	}
	args[0] = path
	env, err := l.printed(host, part)
	if err != nil {
		return err
	}
	if len(l.dirs()) > 0 {
		env = append(env, l.path())
	}
	groups, err := l.switchGroups(host, part)
	if err != nil {
		return fmt.Errorf("control group: %w", err)
	}
	_, err = hostinit.Call(l.hostDir(hostName(host)), hostinit.Request{Op: "start", Part: part, Args: args, Env: env, Groups: groups})
	return err
}

// lookPath finds a program: in the lab's directory, of its engines, or of the machine.
func (l *Lab) lookPath(program string) (string, error) {
	if !filepath.IsAbs(program) {
		for _, dir := range append([]string{l.Bin}, l.dirs()...) {
			if dir == "" { // a bare lab has no programs of its own
				continue
			}
			if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
				return path, nil
			}
		}
	}
	return exec.LookPath(program)
}

// awaitPart waits until a part is ready. A part that ends instead is an error with the last lines of its log.
func (l *Lab) awaitPart(ctx context.Context, host int, part string) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		err := l.probe(ctx, host, part)
		if err == nil {
			break
		}
		p, listErr := l.part(hostName(host), part)
		if listErr == nil && !p.Running() {
			err = fmt.Errorf("it ended with %s", p.Outcome)
			cancel()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %s is not ready: %w; the end of its log:\n%s", hostName(host), part, err, l.logTail(hostName(host), part))
		case <-time.After(pollPause):
		}
	}
	if part != PartOVSDB && part != PartOVS {
		l.printf("%s: %s is ready (%s)", hostName(host), part, time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// serves are the files that a ready part has created: sockets, and the pid file of ovs-vswitchd.
var serves = map[string]string{
	PartOVSDB:       "/run/openvswitch/db.sock",
	PartOVS:         "/run/openvswitch/ovs-vswitchd.pid",
	PartContainerd:  containerdSocket,
	PartPluginProxy: pluginSocket,
}

// probe checks whether a part is ready.
func (l *Lab) probe(ctx context.Context, host int, part string) error {
	if file, ok := serves[part]; ok {
		path, err := l.inside(host, file)
		if err != nil {
			return err
		}
		if part == PartOVS {
			_, err = os.Stat(path)
			return err
		}
		conn, err := net.Dial("unix", path)
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.ready(host, part), nil)
	if err != nil {
		return err
	}
	client := http.DefaultClient
	if kube.Health(part, netip.Addr{}) != "" {
		client = healthClient()
	}
	switch part {
	case PartMaster:
		client, err = l.HTTP(trust.User)
	case PartAgent:
		client, err = l.HTTP(trust.Monitor)
	case PartDocker:
		client, err = l.dockerClient(host)
	}
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", req.URL, resp.Status, head(resp))
	}
	return nil
}

// head is the first line of an answer.
func head(resp *http.Response) string {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 500)) // a partial text suffices
	return strings.TrimSpace(string(text))
}

// Parts lists the parts of a host that were started.
func (l *Lab) Parts(host string) ([]hostinit.Part, error) {
	return hostinit.Call(l.hostDir(host), hostinit.Request{Op: "list"})
}

func (l *Lab) part(host, name string) (hostinit.Part, error) {
	parts, err := l.Parts(host)
	if err != nil {
		return hostinit.Part{}, err
	}
	for _, p := range parts {
		if p.Name == name {
			return p, nil
		}
	}
	return hostinit.Part{}, fmt.Errorf("%s has no %s", host, name)
}

// holder is the part that runs a host's store: the netmaster if the store is embedded.
func (l *Lab) holder(part string) string {
	if part == PartStore && l.Store == StoreEmbedded {
		return PartMaster
	}
	return part
}

// Launch is Start without waiting.
func (l *Lab) Launch(host, part string, more ...string) error {
	n := l.hostNumber(host)
	if n == 0 {
		return fmt.Errorf("there is no host %s", host)
	}
	return l.startPart(n, l.holder(part), more...)
}

// Start starts a part that does not run, with additional flags for this time, and waits until it is ready.
func (l *Lab) Start(ctx context.Context, host, part string, more ...string) error {
	n := l.hostNumber(host)
	if n == 0 {
		return fmt.Errorf("there is no host %s", host)
	}
	part = l.holder(part)
	if err := l.startPart(n, part, more...); err != nil {
		return err
	}
	if err := l.awaitPart(ctx, n, part); err != nil {
		return err
	}
	if part == PartOVS {
		return l.wireVTEP(ctx, n)
	}
	return nil
}

// Kill ends a part with SIGKILL, Stop with SIGTERM; both wait for its end.
func (l *Lab) Kill(host, part string) error { return l.signal(host, part, syscall.SIGKILL) }
func (l *Lab) Stop(host, part string) error { return l.signal(host, part, syscall.SIGTERM) }

// Reload makes a part read its configuration again (SIGHUP).
func (l *Lab) Reload(host, part string) error { return l.signal(host, part, syscall.SIGHUP) }

// Pause stops a part (SIGSTOP) without ending it; Resume continues it.
func (l *Lab) Pause(host, part string) error  { return l.signal(host, part, syscall.SIGSTOP) }
func (l *Lab) Resume(host, part string) error { return l.signal(host, part, syscall.SIGCONT) }

func (l *Lab) signal(host, part string, sig syscall.Signal) error {
	if l.hostNumber(host) == 0 {
		return fmt.Errorf("there is no host %s", host)
	}
	part = l.holder(part)
	r := hostinit.Request{Op: "signal", Part: part, Signal: int(sig)}
	if sig == syscall.SIGKILL || sig == syscall.SIGTERM {
		r.Wait = int(stopTimeout / time.Millisecond)
	}
	if _, err := hostinit.Call(l.hostDir(host), r); err != nil {
		return fmt.Errorf("%s: %w", host, err)
	}
	if part == PartOVS && r.Wait > 0 {
		// A file that a killed vswitchd has left must not be taken for the next one's.
		path, err := l.inside(l.hostNumber(host), serves[PartOVS])
		if err != nil {
			return err
		}
		err = os.Remove(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// LogFile is the path of a part's output.
func (l *Lab) LogFile(host, part string) string {
	return filepath.Join(l.hostDir(host), l.holder(part)+".log")
}

func (l *Lab) logTail(host, part string) string { return tail(l.LogFile(host, part), 15) }

// tail is the last lines of a file, indented.
func tail(path string, lines int) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "  " + err.Error()
	}
	list := strings.Split(strings.TrimSpace(string(data)), "\n")
	return "  " + strings.Join(list[max(0, len(list)-lines):], "\n  ")
}
