// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// CPU is the processor time that a process's threads of now have used, user and system, to the nanosecond (/proc/PID/task/TID/schedstat,
// Documentation/scheduler/sched-stats.rst). The time of ended threads is not in it. A kernel without CONFIG_SCHED_INFO counts in ticks
// of 10 ms, with ended threads (/proc/PID/stat).
func CPU(pid int) (time.Duration, error) {
	files, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "schedstat"))
	if err != nil {
		return 0, err
	}
	if len(files) == 0 {
		return ticks(pid)
	}
	var total time.Duration
	for _, f := range files {
		text, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has ended
		}
		if err != nil {
			return 0, err
		}
		ran, err := Ran(string(text))
		if err != nil {
			return 0, fmt.Errorf("%s: %w", f, err)
		}
		total += ran
	}
	return total, nil
}

// ticks is the processor time of a process as /proc/PID/stat counts it.
func ticks(pid int) (time.Duration, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, fmt.Errorf("process %d: %w", pid, err)
	}
	stat, err := p.Stat()
	return time.Duration(stat.CPUTime() * float64(time.Second)), err
}

// Ran is the processor time in the text of schedstat files, one line a thread.
func Ran(text string) (total time.Duration, err error) {
	for line := range strings.Lines(text) {
		var ran, waited, slices int64
		if _, err := fmt.Sscan(line, &ran, &waited, &slices); err != nil {
			return 0, fmt.Errorf("schedstat %q: %w", line, err)
		}
		total += time.Duration(ran)
	}
	return total, nil
}
