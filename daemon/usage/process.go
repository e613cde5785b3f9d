// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Reserves of memory and of processes.
const (
	machineMemoryNeed   = 64 << 20  // with fewer bytes available the kernel ends processes
	machineMemoryEnough = 512 << 20 // with as many bytes available a daemon has what it needs
	groupMemoryNeed     = 20        // divisor of a control group's limit
	processesNeed       = 8         // threads that a Go program starts when some of its threads block
	processesEnough     = 1000      // of the machine
)

// groupMount is where control groups are mounted (cgroups(7), version 2).
const groupMount = "sys/fs/cgroup"

// Process returns a Source of the memory and the processes, with their threads, of this process's control group (version 2) and of the
// groups around it, of which the fullest counts, and of the machine. root is the root of the file system. Files that cannot be read are left out.
func Process(root fs.FS) Source {
	return func() []model.Resource {
		groups := groupsOf(root)
		return append(append(fullest(root, groups, groupMemory), fullest(root, groups, groupProcesses)...), machine(root)...)
	}
}

// groupsOf returns the paths of the control groups that this process is in, as directories of the mount, the nearest first.
func groupsOf(root fs.FS) (out []string) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		own, ok := strings.CutPrefix(strings.TrimSpace(line), "0::/")
		if !ok || !fs.ValidPath(path.Join(groupMount, own)) {
			continue
		}
		for own = path.Clean("/" + own); ; own = path.Dir(own) {
			out = append(out, own)
			if own == "/" {
				break
			}
		}
	}
	return out
}

// fullest returns the resource of the group that has used the largest share of its limit; nothing if no group has a limit.
func fullest(root fs.FS, groups []string, read func(file func(name string) string) model.Resource) (out []model.Resource) {
	for _, group := range groups {
		r := read(func(name string) string {
			text, _ := fs.ReadFile(root, path.Join(groupMount, group, name))
			return string(text)
		})
		r.Of = group
		if r.Max > 0 && (out == nil || float64(r.Used)/float64(r.Max) > float64(out[0].Used)/float64(out[0].Max)) {
			out = []model.Resource{r}
		}
	}
	return out
}

// groupMemory reads the memory of a control group, without the page cache, which the kernel reclaims before it ends processes: the database of
// a store is mostly there. Its limit is the lower one of memory.max and memory.high, above which the kernel slows the group's processes down.
func groupMemory(file func(name string) string) model.Resource {
	limit := number(file("memory.max"))
	if high := number(file("memory.high")); high > 0 && (limit == 0 || high < limit) {
		limit = high
	}
	used, stat := number(file("memory.current")), file("memory.stat")
	used -= min(used, field(stat, "inactive_file")+field(stat, "active_file"))
	return model.Resource{Name: "memory", Used: used, Max: limit, Need: limit / groupMemoryNeed}
}

// groupProcesses reads the number of processes and threads of a control group.
func groupProcesses(file func(name string) string) model.Resource {
	return model.Resource{Name: "processes", Used: number(file("pids.current")), Max: number(file("pids.max")), Need: processesNeed}
}

// machine reads the memory of the machine, and the number of its processes and threads.
func machine(root fs.FS) (out []model.Resource) {
	file := func(name string) string {
		text, _ := fs.ReadFile(root, name)
		return string(text)
	}
	const kib = 1 << 10
	info := file("proc/meminfo")
	total, available := field(info, "MemTotal:")*kib, field(info, "MemAvailable:")*kib
	if total > 0 && available > 0 {
		out = append(out, model.Resource{Name: "memory", Of: model.Machine, Used: total - min(available, total), Max: total, Need: machineMemoryNeed, Enough: machineMemoryEnough})
	}
	var load [3]float64
	var running, used uint64
	_, err := fmt.Sscanf(file("proc/loadavg"), "%f %f %f %d/%d", &load[0], &load[1], &load[2], &running, &used) // "0.20 0.18 0.12 1/80 11206", proc_loadavg(5)
	limit := min(number(file("proc/sys/kernel/pid_max")), number(file("proc/sys/kernel/threads-max")))
	if err == nil && limit > 0 {
		out = append(out, model.Resource{Name: "processes", Of: model.Machine, Used: used, Max: limit, Need: processesNeed, Enough: processesEnough})
	}
	return out
}

// field returns the number after a name at the start of a line, or 0.
func field(text, name string) uint64 {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			return number(words[1])
		}
	}
	return 0
}

// number returns the number of a file, or 0 if the file is missing or has "max".
func number(text string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
