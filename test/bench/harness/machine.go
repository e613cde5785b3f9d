// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"os"
	"strings"
)

// Machine is the machine during a measurement that begins with NewMachine: what else it did.
type Machine struct{ stolen, whole uint64 }

// NewMachine begins.
func NewMachine() Machine {
	m, _ := machine() // String omits unknown values
	return m
}

// String is the load average over the last minute (proc_loadavg(5)), and how much of its processors' time the host of a virtual
// machine took since NewMachine (steal in /proc/stat, proc_stat(5)): "load 0.89; 1.9 % of its processors' time stolen". A machine
// that is no one's guest loses nothing.
func (m Machine) String() string {
	load := "?"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ = strings.Cut(string(text), " ")
	}
	now, err := machine()
	if err != nil || now.whole == m.whole {
		return "load " + load
	}
	return fmt.Sprintf("load %s; %.1f %% of its processors' time stolen", load, float64(now.stolen-m.stolen)/float64(now.whole-m.whole)*100)
}

func machine() (Machine, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Machine{}, err
	}
	// Ticks since the start: user, nice, system, idle, iowait, irq, softirq, steal. Those of guests are part of others'.
	var t [8]uint64
	if _, err := fmt.Sscanf(string(text), "cpu %d %d %d %d %d %d %d %d", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]); err != nil {
		return Machine{}, fmt.Errorf("/proc/stat: %w", err)
	}
	m := Machine{stolen: t[7]}
	for _, n := range t {
		m.whole += n
	}
	return m, nil
}
