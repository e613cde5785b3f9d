// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// await waits until something is true.
func await(is func() bool) error {
	for end := time.Now().Add(timeout); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("not within %s", timeout)
		}
	}
	return nil
}

// resident is the resident memory of a process in bytes (proc_pid_status(5), VmRSS).
func resident(pid int) (float64, error) { return memory(pid, "VmRSS:") }

// peak is the most that it was so far.
func peak(pid int) (float64, error) { return memory(pid, "VmHWM:") }

func memory(pid int, field string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, field); is {
			kb, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			return float64(kb) * 1024, err
		}
	}
	return 0, fmt.Errorf("process %d has no memory", pid)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func megabytes(n float64) string { return fmt.Sprintf("%.0f MB", n/1e6) }
