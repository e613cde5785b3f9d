// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cgroup is the control group, in every hierarchy, of the containers of a host's engine.
func (p *Plan) cgroup(host string) string { return filepath.Join(p.cgroups(), host) }

// cgroupHost is the group of everything else on such a host, first of all its process 1: engines make the groups of managed plugins beside
// or below their own.
func (p *Plan) cgroupHost(host string) string { return p.cgroup(host) + "-host" }

// cgroupSwitch is the group of its Open vSwitch, which is a service with a group of its own on a real host. It is beside the lab's, so its
// weight counts among everything on the machine.
func (p *Plan) cgroupSwitch(host string) string { return p.cgroups() + "-" + host + "-switch" }

// cgroups is the control group of all processes on the hosts of a lab with engines. The group's name has the lab's number, so that ending a
// lab does not affect a running lab of the same name in another directory.
func (p *Plan) cgroups() string { return fmt.Sprintf("contiv-lab-%s-%d", p.Name, p.Number) }

// hierarchies are the directories of control groups: one, or one per controller.
func hierarchies() ([]string, error) {
	const top = "/sys/fs/cgroup"
	files, err := filepath.Glob(top + "/*/cgroup.procs")
	if err != nil {
		return nil, err
	}
	out := []string{top}
	for _, f := range files {
		out = append(out, filepath.Dir(f))
	}
	return slices.DeleteFunc(out, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "cgroup.procs"))
		return err != nil
	}), nil
}

// enterGroup moves a process, and its future children, into a control group of every hierarchy.
func enterGroup(pid int, group string) error {
	if err := makeGroup(group); err != nil {
		return err
	}
	all, err := hierarchies()
	if err != nil {
		return err
	}
	for _, dir := range all {
		if err := os.WriteFile(filepath.Join(dir, group, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
			return err
		}
	}
	return nil
}

// switchGroups makes the control groups of a host's Open vSwitch and returns their directories; none if the part is not of the switch, or
// hosts have no control groups. They have ten times the usual weight: a niceness counts only within a group, and in that of the host's
// engines and kubelet, with 60 threads that compete for a processor, a thread of niceness -10 that works 4 ms of 14 waits up to 0.5 s for
// one. In a group of its own it waits up to 70 ms, and with the weight 5.
func (l *Lab) switchGroups(host int, part string) (out []string, err error) {
	if !l.hasEngines() || part != PartOVS && part != PartOVSDB {
		return nil, nil
	}
	group := l.cgroupSwitch(hostName(host))
	if err := makeGroup(group); err != nil {
		return nil, err
	}
	all, err := hierarchies()
	if err != nil {
		return nil, err
	}
	for _, dir := range all {
		if err := favour(filepath.Join(dir, group)); err != nil {
			return nil, err
		}
		out = append(out, filepath.Join(dir, group))
	}
	return out, nil
}

// favour gives a control group ten times the weight that one has by default, where its hierarchy shares out processors.
func favour(dir string) error {
	for file, weight := range map[string]string{"cpu.shares": "10240", "cpu.weight": "1000"} { // cgroups(7), of the first version and of the second
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(weight), 0); err != nil {
			return err
		}
	}
	return nil
}

// makeGroup makes a control group, and those above it, in every hierarchy.
func makeGroup(group string) error {
	all, err := hierarchies()
	if err != nil {
		return err
	}
	for _, dir := range all {
		for part := range strings.SplitSeq(group, "/") {
			above := dir
			dir = filepath.Join(dir, part)
			if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			if err := inheritCPUs(above, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// inheritCPUs gives a new group the processors and memory of its parent, without which it accepts no process (cpusets(7)).
func inheritCPUs(above, dir string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		text, err := os.ReadFile(filepath.Join(above, file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if now, _ := os.ReadFile(filepath.Join(dir, file)); err == nil && strings.TrimSpace(string(now)) == "" {
			err = os.WriteFile(filepath.Join(dir, file), text, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endGroups removes the control groups that engines have left: the lab's, and those of managed plugins, which have their ids as names and
// are not below the lab's in the hierarchy without controllers.
func (l *Lab) endGroups() error {
	all, err := hierarchies()
	if err != nil {
		return err
	}
	plugins, err := filepath.Glob(filepath.Join(l.Dir, "h*", "docker", "plugins", strings.Repeat("[0-9a-f]", 64)))
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range all {
		errs = append(errs, removeGroups(filepath.Join(dir, l.cgroups())))
		for i := 1; i <= l.Hosts; i++ {
			errs = append(errs, removeGroups(filepath.Join(dir, l.cgroupSwitch(hostName(i)))))
		}
		for _, p := range plugins {
			errs = append(errs, removeGroups(filepath.Join(dir, filepath.Base(p))))
		}
	}
	return errors.Join(errs...)
}

// removeGroups removes a control group and those below it. Its processes have been killed, but may not have ended yet.
func removeGroups(top string) error {
	var groups []string
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.IsDir() {
			groups = append(groups, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, group := range slices.Backward(groups) {
		for end := time.Now().Add(stopTimeout); ; time.Sleep(pollPause) {
			err := os.Remove(group)
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				break
			}
			if time.Now().After(end) {
				return err
			}
		}
	}
	return nil
}
