// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/contiv/contiv/api/model"
)

func TestProcess(t *testing.T) {
	const unit = "sys/fs/cgroup/system.slice/netplugin.service/"
	machine := map[string]string{
		"proc/meminfo": "MemTotal:        2000000 kB\nMemFree:          100000 kB\nMemAvailable:     500000 kB\n",
		"proc/loadavg": "0.20 0.18 0.12 1/80 11206\n", "proc/sys/kernel/pid_max": "4194304\n", "proc/sys/kernel/threads-max": "16000\n"}
	ofMachine := []model.Resource{{Name: "memory", Of: "machine", Used: 1500000 << 10, Max: 2000000 << 10, Need: 64 << 20, Enough: 512 << 20},
		{Name: "processes", Of: "machine", Used: 80, Max: 16000, Need: 8, Enough: 1000}}
	for _, row := range []struct {
		name  string
		files map[string]string
		want  []model.Resource
	}{
		{"no control groups", nil, nil},
		{"control groups of version 1", map[string]string{"proc/self/cgroup": "4:memory:/x\n1:cpu:/\n"}, nil},
		{"no limits", map[string]string{"proc/self/cgroup": "0::/system.slice/netplugin.service\n", unit + "memory.max": "max\n", unit + "memory.high": "max\n",
			unit + "memory.current": "9\n", unit + "pids.max": "max\n", unit + "pids.current": "9\n"}, nil},
		{"limits of the unit", map[string]string{"proc/self/cgroup": "0::/system.slice/netplugin.service\n", unit + "memory.max": "1000\n", unit + "memory.high": "max\n",
			unit + "memory.current": "900\n", unit + "memory.stat": "anon 500\ninactive_file 300\nactive_file 100\n", unit + "pids.max": "100\n", unit + "pids.current": "9\n"},
			[]model.Resource{{Name: "memory", Of: "/system.slice/netplugin.service", Used: 500, Max: 1000, Need: 50},
				{Name: "processes", Of: "/system.slice/netplugin.service", Used: 9, Max: 100, Need: 8}}},
		{"memory.high below memory.max, in a container that sees its own group as the root",
			map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.high": "800\n", "sys/fs/cgroup/memory.current": "10\n"},
			[]model.Resource{{Name: "memory", Of: "/", Used: 10, Max: 800, Need: 40}}},
		{"a slice that is fuller than the unit", map[string]string{"proc/self/cgroup": "0::/system.slice/netplugin.service\n",
			unit + "memory.max": "1000\n", unit + "memory.current": "100\n", "sys/fs/cgroup/system.slice/memory.max": "2000\n", "sys/fs/cgroup/system.slice/memory.current": "1900\n"},
			[]model.Resource{{Name: "memory", Of: "/system.slice", Used: 1900, Max: 2000, Need: 100}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for _, files := range []map[string]string{machine, row.files} {
				for name, text := range files {
					root[name] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			if got, want := Process(root)(), append(slices.Clone(row.want), ofMachine...); !slices.Equal(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
	if got := Process(fstest.MapFS{})(); len(got) != 0 {
		t.Errorf("without files: got %+v, want nothing", got)
	}
}

// The machine of this test has memory and processes.
func TestThisMachine(t *testing.T) {
	list := Process(os.DirFS("/"))()
	for _, name := range []string{"memory", "processes"} {
		if !slices.ContainsFunc(list, func(r model.Resource) bool { return r.Name == name && r.Used > 0 && r.Used < r.Max }) {
			t.Errorf("got %+v, want %s in use below the limit", list, name)
		}
	}
}
