// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

func TestFindings(t *testing.T) {
	const mib = 1 << 20
	daemon := Daemon{Name: "netplugin", Object: "host/h1", Host: "h1", Lost: "without one it reaches nobody", Next: "netctl node ls"}
	for _, row := range []struct {
		name string
		list []model.Resource
		want []string // severity, code, evidence, next
	}{
		{"nothing is low", []model.Resource{{Name: "descriptors", Used: 1, Max: 9}}, nil},
		{"a resource of a newer daemon", []model.Resource{{Name: "queues", Used: 9, Max: 9}}, nil},
		{"descriptors", []model.Resource{{Name: "descriptors", Used: 8, Max: 10}},
			[]string{"warning resources-exhausted netplugin has 8 of 10 file descriptors in use; without one it reaches nobody: netctl node ls"}},
		{"memory of the unit", []model.Resource{{Name: "memory", Of: "/system.slice/netplugin.service", Used: 90 * mib, Max: 100 * mib}},
			[]string{"warning resources-exhausted netplugin has 90 MiB of 100 MiB of memory in use in control group /system.slice/netplugin.service; without memory the kernel ends it: netctl node ls"}},
		{"processes of the machine", []model.Resource{{Name: "processes", Of: model.Machine, Used: 99, Max: 99}},
			[]string{"error resources-exhausted netplugin has 99 of 99 processes and threads in use on its machine; without another one it ends: netctl node ls"}},
		{"a disk", []model.Resource{{Name: "disk", Of: "/a, /b", Holds: "the store, logs", Used: 85 * mib, Max: 100 * mib}},
			[]string{"warning disk-low netplugin has 85 MiB of 100 MiB of the file system of /a, /b (the store, logs) in use, 15 MiB are left; without space it ends, or cannot save its state: df -h /a /b"}},
		{"inodes", []model.Resource{{Name: "inodes", Of: "/a", Holds: "logs", Used: 9, Max: 9}},
			[]string{"error disk-low netplugin has 9 of 9 inodes of the file system of /a (logs) in use, 0 are left; without one it creates no file: df -i /a"}},
		{"meters", []model.Resource{{Name: "meters", Used: 9, Max: 9}},
			[]string{"error switch-low netplugin has 9 of 9 meters of the switch in use; without one, further containers have no limit: netctl node ls"}},
		{"two of one code: the worst first, with the evidence of both", []model.Resource{{Name: "descriptors", Used: 8, Max: 10}, {Name: "memory", Of: model.Machine, Used: 9 * mib, Max: 9 * mib}},
			[]string{"error resources-exhausted netplugin has 8 of 10 file descriptors in use; without one it reaches nobody; netplugin has 9 MiB of 9 MiB of memory in use on its machine; without memory the kernel ends it: netctl node ls"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			for _, f := range Findings(daemon, row.list) {
				got = append(got, string(f.Severity)+" "+f.Code.String()+" "+f.Evidence+": "+f.Next)
				if f.Object != "host/h1" || f.Host != "h1" || f.Remedy == "" {
					t.Errorf("got %+v, want its object, its host and a remedy", f)
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(row.want, "\n     "))
			}
		})
	}
}

// The remedy of a disk names what is in its directories.
func TestMakeRoom(t *testing.T) {
	for holds, want := range map[string]string{
		HoldsStore:                   "delete other files that are not needed (du -xam /a | sort",
		HoldsStore + ", " + HoldsLog: "delete old logs, other files",
		HoldsSnapshots:               "delete old snapshots (contiv snapshot ls), other files",
	} {
		if got := makeRoom(&model.Resource{Of: "/a", Holds: holds}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", holds, got, want)
		}
	}
}
