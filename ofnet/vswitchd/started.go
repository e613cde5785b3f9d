// SPDX-License-Identifier: Apache-2.0

package vswitchd

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// ticks is the number of clock ticks per second in the files of proc(5), USER_HZ of Linux on all of its architectures.
const ticks = 100

// pid returns the number in ovs-vswitchd.pid of the run directory.
func pid(rundir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(rundir, "ovs-vswitchd.pid"))
	if err != nil {
		return 0, fmt.Errorf("find ovs-vswitchd (is it running with --pidfile?): %w", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("find ovs-vswitchd: %q in %s/ovs-vswitchd.pid is no process id", text, rundir)
	}
	return n, nil
}

// Started returns the time between the machine's boot and the start of ovs-vswitchd.
func Started(rundir string) (time.Duration, error) {
	n, err := pid(rundir)
	if err != nil {
		return 0, err
	}
	p, err := procfs.NewProc(n)
	if err != nil {
		return 0, err
	}
	s, err := p.Stat()
	if err != nil {
		return 0, err
	}
	return time.Duration(s.Starttime) * time.Second / ticks, nil
}
