// SPDX-License-Identifier: Apache-2.0

// Package lab emulates several hosts on one machine: each has network, process and mount namespaces and an Open vSwitch of its own, and
// they are connected by switches that carry an underlay, a VLAN trunk and a management network. It needs root, Open vSwitch, iproute2 and
// util-linux, and changes nothing of the machine's own except for one interface to reach the hosts.
package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// DefaultDir is the directory of labs.
const DefaultDir = "/run/contiv-lab"

// Program is the file name of the program that makes labs and is process 1 of their hosts. The other programs are beside it, unless a
// plan names their directory.
const Program = "contiv-lab"

// Lab is one lab, running or incomplete.
type Lab struct {
	Plan
	self string // the program contiv-lab, whose command "host" is process 1 of a host
	mu   sync.Mutex
	out  io.Writer // guarded by mu
}

// planFile is where a lab's plan is kept.
const planFile = "lab.json"

// New creates the directory of a new lab and reserves its management subnet. Progress goes to out, one line per step. p.Dir is the
// directory of all labs here and becomes the lab's own.
func New(p Plan, self string, out io.Writer) (*Lab, error) {
	p.Dir = filepath.Join(p.Dir, p.Name)
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := p.chooseDatapath(out); err != nil {
		return nil, err
	}
	if os.Geteuid() != 0 {
		return nil, errors.New("a lab makes namespaces and interfaces, which needs root")
	}
	for _, tool := range []string{"ip", "nsenter", "ovsdb-server", "ovs-vswitchd", "ovs-vsctl", "ovsdb-tool"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%s is not installed: apt-get install openvswitch-switch iproute2 util-linux", tool)
		}
	}
	l := &Lab{Plan: p, self: self, out: out}
	if p.Docker {
		if err := l.findDocker(); err != nil {
			return nil, err
		}
	}
	if p.Kubernetes != nil {
		if err := l.findKubernetes(); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(p.Dir), 0o755); err != nil {
		return nil, err
	}
	if err := l.chooseRoom(freeSpace, out); err != nil {
		return nil, err
	}
	if err := os.Mkdir(p.Dir, 0o755); err != nil {
		if errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("lab %s is there already: contiv lab down --name %s ends it", p.Name, p.Name)
		}
		return nil, err
	}
	if err := l.reserve(); err != nil {
		return nil, errors.Join(err, l.Down(context.Background()))
	}
	return l, nil
}

// Names are those of the labs in a directory, sorted.
func Names(dir string) []string {
	plans, _ := filepath.Glob(filepath.Join(dir, "*", planFile)) // only a malformed pattern is an error
	var out []string
	for _, plan := range plans {
		out = append(out, filepath.Base(filepath.Dir(plan)))
	}
	return out
}

// Open opens an existing lab.
func Open(dir, name, self string, out io.Writer) (*Lab, error) {
	l := &Lab{self: self, out: out}
	data, err := os.ReadFile(filepath.Join(dir, name, planFile))
	if errors.Is(err, os.ErrNotExist) {
		if others := Names(dir); len(others) > 0 {
			return nil, fmt.Errorf("there is no lab %s, but %s: choose with --name", name, strings.Join(others, ", "))
		}
		return nil, fmt.Errorf("there is no lab %s: contiv lab up makes one", name)
	}
	if err == nil {
		err = json.Unmarshal(data, &l.Plan)
	}
	if err != nil {
		return nil, fmt.Errorf("lab %s: %w", name, err)
	}
	return l, nil
}

// reserve picks a management subnet that the machine does not use, by making the machine's interface in it.
func (l *Lab) reserve() error {
	lock, err := os.Open("/run") // labs in any directory share the machine's addresses; this leaves no file behind
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	taken, err := net.InterfaceAddrs()
	if err != nil {
		return err
	}
	for l.Number = 1; l.Number < 255; l.Number++ {
		_, subnet, err := net.ParseCIDR(l.machine() + "/24")
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(taken, func(a net.Addr) bool {
			ip, other, err := net.ParseCIDR(a.String())
			return err == nil && (subnet.Contains(ip) || other.Contains(subnet.IP) && !ip.IsLoopback())
		}) {
			break
		}
	}
	if l.Number == 255 {
		return errors.New("no free subnet 10.254.N.0/24 for the management network")
	}
	if err := l.save(); err != nil {
		return err
	}
	return l.wireSwitches()
}

// Self is the program whose commands are run on hosts and in containers.
func (l *Lab) Self() string { return l.self }

func (l *Lab) save() error {
	data, err := json.MarshalIndent(l.Plan, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.Dir, planFile), append(data, '\n'), 0o644)
}

// Up starts everything and returns when it is ready. After an error started parts stay, for inspection, until Down.
func (l *Lab) Up(ctx context.Context) error {
	if err := l.each(func(host int) error { return l.bootHost(ctx, host) }); err != nil {
		return err
	}
	if err := l.writeTrust(); err != nil {
		return err
	}
	if l.Kubernetes != nil {
		if err := l.writeKubernetes(); err != nil {
			return err
		}
	}
	if l.Joined {
		if err := l.join(ctx); err != nil {
			return err
		}
	}
	for _, part := range []string{PartStore, PartMaster, PartPluginProxy, PartAgent} {
		// All of them start before the first wait: the members of a store need each other.
		var running errgroup.Group
		for i := range l.Hosts {
			if l.args(i+1, part) == nil || l.Joined && part == PartMaster {
				continue
			}
			if err := l.startPart(i+1, part); err != nil {
				return err
			}
			running.Go(func() error { return l.awaitPart(ctx, i+1, part) })
		}
		if err := running.Wait(); err != nil {
			return err
		}
	}
	if l.Docker {
		if err := l.startDockers(ctx); err != nil {
			return err
		}
	}
	if l.Kubernetes != nil {
		return l.startKubernetes(ctx)
	}
	return nil
}

// each calls do for every host, for a few at a time.
func (l *Lab) each(do func(host int) error) error {
	var hosts errgroup.Group
	hosts.SetLimit(4)
	for i := range l.Hosts {
		hosts.Go(func() error { return do(i + 1) })
	}
	return hosts.Wait()
}

func (l *Lab) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, "lab: "+format+"\n", args...)
}

// command runs a program to its end; its error includes the program's output.
func command(ctx context.Context, name string, args ...string) error {
	_, err := output(ctx, name, args...)
	return err
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
