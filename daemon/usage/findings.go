// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Daemon is a daemon in findings.
type Daemon struct {
	Name   string // "netplugin", or "netmaster" with its address
	Object string // "host/h1", "master/192.0.2.1"
	Host   string // label, of an agent
	Lost   string // what the daemon does not do without file descriptors
	Next   string // command for more information
}

// kind describes a resource for operators.
type kind struct {
	code   model.FindingCode
	noun   string
	bytes  bool
	effect string // of an exhausted one; "": Daemon.Lost
	remedy string
}

func kindOf(name string) (k kind, ok bool) {
	k, ok = map[string]kind{
		"descriptors": {code: model.FindingResourcesExhausted, noun: "file descriptors",
			remedy: "raise LimitNOFILE of its unit, or ulimit -n, and restart it; look what it has open in /proc/PID/fd"},
		"memory": {code: model.FindingResourcesExhausted, noun: "memory", bytes: true, effect: "without memory the kernel ends it",
			remedy: "look which process uses the memory (ps aux --sort -rss); end that one, raise MemoryMax of the unit, or add memory"},
		"processes": {code: model.FindingResourcesExhausted, noun: "processes and threads", effect: "without another one it ends",
			remedy: "look what runs (ps -eLf); end what should not, or raise TasksMax of the unit, kernel.pid_max or kernel.threads-max"},
		"disk":   {code: model.FindingDiskLow, noun: "the file system", bytes: true, effect: "without space it ends, or cannot save its state"},
		"inodes": {code: model.FindingDiskLow, noun: "inodes", effect: "without one it creates no file"},
		"meters": {code: model.FindingSwitchLow, noun: "meters of the switch", effect: "without one, further containers have no limit",
			remedy: "move containers of groups with limits to other hosts: each of them needs a meter"},
		"groups": {code: model.FindingSwitchLow, noun: "groups of the switch", effect: "without one, further services and networks do not work",
			remedy: "use fewer services and networks: each port of a service needs a group"},
	}[name]
	return k, ok
}

// Findings returns one finding for each code of the resources that are low: its severity is the worst, and its evidence has all of them.
func Findings(d Daemon, list []model.Resource) (out []model.Finding) {
	at := map[model.FindingCode]int{}
	for i := range list {
		r := &list[i]
		severity, low := r.Low()
		k, ok := kindOf(r.Name)
		if !low || !ok {
			continue
		}
		f := model.Finding{Code: k.code, Severity: severity, Object: d.Object, Host: d.Host, Evidence: d.Name + " has " + k.evidence(r, d.Lost), Remedy: k.remedy, Next: d.Next}
		if k.code == model.FindingDiskLow {
			f.Remedy, f.Next = makeRoom(r), "df -h "+strings.ReplaceAll(r.Of, ",", "")
			if r.Name == "inodes" {
				f.Next = "df -i " + strings.ReplaceAll(r.Of, ",", "")
			}
		}
		j, again := at[k.code]
		if !again {
			at[k.code] = len(out)
			out = append(out, f)
			continue
		}
		f.Evidence = out[j].Evidence + "; " + f.Evidence
		if f.Severity.Worse(out[j].Severity) {
			out[j] = f
		}
		out[j].Evidence = f.Evidence
	}
	return out
}

// evidence describes the use: "850 of 1000 file descriptors in use; ...".
func (k *kind) evidence(r *model.Resource, lost string) string {
	effect := k.effect
	if effect == "" {
		effect = lost
	}
	amount := fmt.Sprintf("%d of %d %s in use", r.Used, r.Max, k.noun)
	if k.bytes {
		amount = fmt.Sprintf("%s of %s of %s in use", mebibytes(r.Used), mebibytes(r.Max), k.noun)
	}
	switch {
	case k.code == model.FindingDiskLow:
		amount = fmt.Sprintf("%d of %d %s of the file system of %s (%s) in use, %d are left", r.Used, r.Max, k.noun, r.Of, r.Holds, r.Left())
		if k.bytes {
			amount = fmt.Sprintf("%s of %s of %s of %s (%s) in use, %s are left", mebibytes(r.Used), mebibytes(r.Max), k.noun, r.Of, r.Holds, mebibytes(r.Left()))
		}
	case r.Of == model.Machine:
		amount += " on its machine"
	case r.Of != "":
		amount += " in control group " + r.Of
	}
	return amount + "; " + effect
}

func mebibytes(bytes uint64) string { return fmt.Sprintf("%d MiB", bytes>>20) }

// Values of Disk.Holds.
const (
	HoldsStore     = "the store"
	HoldsSnapshots = "snapshots"
	HoldsAudit     = "the audit log"
	HoldsLog       = "logs"
	HoldsRecords   = "saved records"
	HoldsSwitch    = "Open vSwitch's database"
)

// makeRoom returns what to delete in the directories of a disk.
func makeRoom(r *model.Resource) string {
	var parts []string
	holds := strings.Split(r.Holds, ", ")
	if slices.Contains(holds, HoldsSnapshots) {
		parts = append(parts, "old snapshots (contiv snapshot ls)")
	}
	if slices.Contains(holds, HoldsLog) || slices.Contains(holds, HoldsAudit) {
		parts = append(parts, "old logs")
	}
	parts = append(parts, "other files that are not needed (du -xam "+strings.ReplaceAll(r.Of, ",", "")+" | sort -n | tail -n 20)")
	return "delete " + strings.Join(parts, ", ") + ", or enlarge the file system; do not delete files of the store"
}
