// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/lab/hostinit"
)

// Container is a network namespace on a host that acts as a container, or that of a container of the host's Docker engine.
type Container struct {
	Name    string       `json:"name"`
	Host    string       `json:"host"`
	Tenant  string       `json:"tenant"`
	Network string       `json:"network"`
	Group   string       `json:"group,omitempty"`
	IPs     []netip.Addr `json:"ips,omitempty"`
	MAC     string       `json:"mac,omitempty"`
	Docker  bool         `json:"docker,omitempty"` // of the host's engine
}

// IPv returns the container's address of IP version 4 or 6.
func (c *Container) IPv(version int) (netip.Addr, error) {
	for _, a := range c.IPs {
		if a.Is4() == (version == 4) {
			return a, nil
		}
	}
	return netip.Addr{}, fmt.Errorf("%s has no IPv%d address", c.Name, version)
}

func (l *Lab) containerFile(name string) string {
	return filepath.Join(l.Dir, "containers", name+".json")
}

// Containers lists the attached containers, ordered by name.
func (l *Lab) Containers() ([]Container, error) {
	entries, err := os.ReadDir(filepath.Join(l.Dir, "containers"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var list []Container
	for _, e := range entries {
		c, err := l.Container(strings.TrimSuffix(e.Name(), ".json"))
		if err != nil {
			return nil, err
		}
		list = append(list, *c)
	}
	return list, err
}

// Container returns one of them.
func (l *Lab) Container(name string) (*Container, error) {
	data, err := os.ReadFile(l.containerFile(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no container %s", name)
	}
	c := new(Container)
	if err == nil {
		err = json.Unmarshal(data, c)
	}
	if err != nil {
		return nil, fmt.Errorf("container %s: %w", name, err)
	}
	return c, nil
}

// Attach creates a container and makes the host's CNI plugin give it an interface, or makes the host's engine run it. Attaching an existing
// one repeats the ADD, as a runtime does that lost the answer.
func (l *Lab) Attach(ctx context.Context, c Container) (*Container, error) {
	if !namePattern.MatchString(c.Name) || l.hostNumber(c.Name) != 0 {
		return nil, fmt.Errorf("container name %q: want lower case letters, digits and dashes, and not a host's name", c.Name)
	}
	host := l.hostNumber(c.Host)
	if host == 0 {
		return nil, fmt.Errorf("there is no host %s", c.Host)
	}
	if old, err := l.Container(c.Name); err == nil && old.Host != c.Host {
		return nil, fmt.Errorf("container %s is on %s already", c.Name, old.Host)
	}
	if c.Docker {
		return l.attachDocker(ctx, c)
	}
	fresh := !l.hasNamespace(c)
	if fresh {
		if err := l.onHost(ctx, host, "ip", "netns", "add", c.Name); err != nil {
			return nil, err
		}
		if err := l.onHost(ctx, host, "ip", "-n", c.Name, "link", "set", "lo", "up"); err != nil {
			return nil, err
		}
	}
	r, err := l.CNI(ctx, "add", c)
	if err == nil {
		for _, ip := range r.IPs {
			c.IPs = append(c.IPs, ip.Address.Addr())
		}
		for _, i := range r.Interfaces {
			if i.Sandbox != "" {
				c.MAC = i.Mac
			}
		}
		err = l.keep(c)
	}
	if err != nil && fresh {
		return nil, errors.Join(err, l.onHost(ctx, host, "ip", "netns", "del", c.Name))
	}
	if err != nil {
		return nil, err
	}
	return &c, nil
}

func (l *Lab) keep(c Container) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	file := l.containerFile(c.Name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

func (l *Lab) hasNamespace(c Container) bool {
	path, err := l.namespace(c)
	if err != nil {
		return false
	}
	_, err = os.Stat(path)
	return err == nil
}

// namespace is the path of a container's network namespace on the machine.
func (l *Lab) namespace(c Container) (string, error) {
	pid, err := l.pid(c.Host)
	return fmt.Sprintf("/proc/%d/root/run/netns/%s", pid, c.Name), err
}

// Detach makes the plugin remove the interface and deletes the container, or makes its engine do both.
func (l *Lab) Detach(ctx context.Context, name string) error {
	c, err := l.Container(name)
	if err != nil {
		return err
	}
	if c.Docker {
		if err := l.detachDocker(ctx, *c); err != nil {
			return err
		}
		return os.Remove(l.containerFile(name))
	}
	if _, err := l.CNI(ctx, "del", *c); err != nil {
		return err
	}
	if l.hasNamespace(*c) {
		if err := l.onHost(ctx, l.hostNumber(c.Host), "ip", "netns", "del", name); err != nil {
			return err
		}
	}
	return os.Remove(l.containerFile(name))
}

// Result is the part of a CNI result that the lab uses (CNI specification 1.0.0, "Success").
type Result struct {
	Interfaces []struct{ Name, Mac, Sandbox string } `json:"interfaces"`
	IPs        []struct {
		Address netip.Prefix `json:"address"`
	} `json:"ips"`
}

// CNI calls the plugin on the container's host, as the host's runtime would: op is "add", "del" or "check".
func (l *Lab) CNI(ctx context.Context, op string, c Container) (Result, error) {
	request, err := json.Marshal(c)
	if err != nil {
		return Result{}, err
	}
	cmd, err := l.Command(ctx, c.Host, l.self, "cni", op, l.Bin, string(request))
	if err != nil {
		return Result{}, err
	}
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return Result{}, fmt.Errorf("cni %s %s on %s: %s", op, c.Name, c.Host, strings.TrimSpace(errs.String()))
	}
	var r Result
	if op == "add" {
		if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
			return Result{}, fmt.Errorf("cni %s %s on %s: %w", op, c.Name, c.Host, err)
		}
	}
	return r, nil
}

// In returns a program to be run in a container, or on a host if name is one.
func (l *Lab) In(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	if l.hostNumber(name) != 0 {
		return l.Command(ctx, name, args...)
	}
	c, err := l.Container(name)
	if err != nil {
		return nil, err
	}
	pid, err := l.pid(c.Host)
	if err != nil {
		return nil, err
	}
	ns, err := l.namespace(*c)
	if err != nil {
		return nil, err
	}
	enter := []string{"-t", strconv.Itoa(pid), "-m", "-u", "-i", "-p", "--net=" + ns, "--"}
	return exec.CommandContext(ctx, "nsenter", append(enter, args...)...), nil
}

// Ping is a ping from one container to another.
func (l *Lab) Ping(ctx context.Context, from, to string, version int, args ...string) (*exec.Cmd, error) {
	c, err := l.Container(to)
	if err != nil {
		return nil, err
	}
	a, err := c.IPv(version)
	if err != nil {
		return nil, err
	}
	return l.In(ctx, from, append(slices.Concat([]string{"ping", "-n"}, args), a.String())...)
}

// MasterURLs are the APIs of all netmasters, joined by commas, the running ones first: the value of NETMASTER.
func (l *Lab) MasterURLs() (string, error) {
	first, err := l.MasterURL()
	if err != nil {
		return "", err
	}
	urls := []string{first}
	for i := range l.Masters {
		if url := l.masterURL(i + 1); url != first {
			urls = append(urls, url)
		}
	}
	return strings.Join(urls, ","), nil
}

// MasterURL is the API of the first running netmaster; on bare hosts, the expected address of one started by the user.
func (l *Lab) MasterURL() (string, error) {
	if l.Bare {
		return l.masterURL(1), nil
	}
	for i := range l.Masters {
		if p, err := l.part(hostName(i+1), PartMaster); err == nil && p.Running() {
			return l.masterURL(i + 1), nil
		}
	}
	return "", errors.New("no netmaster runs; contiv lab start HOST master starts one")
}

// cniCache is the directory of results of the CNI library on a host.
const cniCache = hostinit.Inside + "/cni"
