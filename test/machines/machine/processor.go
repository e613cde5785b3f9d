// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// processorFile is the end of the names of files with the processor of a machine.
const processorFile = ".processor"

// processor returns the processor of the host on which all of the machine's processes run, the one with the fewest machines. The kernel of
// a machine and its programs are processes that wake each other at each system call, and only one of them runs at a time: on two processors
// each call takes three times as long as on one.
func (m *Machine) processor() (int, error) {
	own := filepath.Join(m.stand.Dir, m.Name+processorFile)
	if text, err := os.ReadFile(own); err == nil {
		return strconv.Atoi(string(text))
	}
	lock, err := os.OpenFile(filepath.Join(Directory, "processors.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { _ = lock.Close() }()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return 0, err
	}
	var usable unix.CPUSet
	if err := unix.SchedGetaffinity(0, &usable); err != nil {
		return 0, fmt.Errorf("processors of this process: %w", err)
	}
	taken, err := filepath.Glob(filepath.Join(Directory, "*", "*"+processorFile))
	if err != nil {
		return 0, err
	}
	machines := map[int]int{}
	for _, path := range taken {
		if text, err := os.ReadFile(path); err == nil {
			if n, err := strconv.Atoi(string(text)); err == nil {
				machines[n]++
			}
		}
	}
	best := leastUsed(usable, machines)
	return best, os.WriteFile(own, []byte(strconv.Itoa(best)), 0o600)
}

// leastUsed returns the first processor with the fewest machines.
func leastUsed(usable unix.CPUSet, machines map[int]int) int {
	best := -1
	for n := range len(usable) * 64 {
		if usable.IsSet(n) && (best < 0 || machines[n] < machines[best]) {
			best = n
		}
	}
	return best
}
