// SPDX-License-Identifier: Apache-2.0

package resources

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The timer slack of the daemons.
const (
	// AgentSlack is short: an agent changes interfaces with system calls that block for milliseconds, and other work waits until
	// the runtime's monitor thread notices.
	AgentSlack = time.Millisecond
	// MasterSlack is a tenth of the heartbeat interval of an etcd within netmaster.
	MasterSlack = 5 * time.Millisecond
)

// Slack lets the kernel wake this process's sleeping threads that much later (proc_pid_timerslack_ns(5); 50 µs otherwise), so that it has
// fewer wake-ups to do. It is the Go runtime's own thread that this is about: while there is anything to do it looks after the others
// every 20 µs, nearly always for nothing, which takes a fifth of the processor time of a daemon that mostly waits; and when it has gone
// to sleep, the first to do something wakes it before anything else. Threads that come later are like those that make them. Without the
// capability CAP_SYS_NICE nothing changes, and the error says so; it is no reason to end. A slack that the service manager has set
// (TimerSlackNSec= of systemd.exec(5)) needs no capability.
func Slack(late time.Duration) error {
	wanted := strconv.FormatInt(late.Nanoseconds(), 10)
	if now, err := os.ReadFile("/proc/self/timerslack_ns"); err == nil && strings.TrimSpace(string(now)) == wanted {
		return nil
	}
	done := map[string]bool{}
	for {
		files, err := filepath.Glob("/proc/self/task/[0-9]*")
		if err != nil {
			return err
		}
		before := len(done)
		for _, f := range files {
			thread := filepath.Base(f)
			if done[thread] {
				continue
			}
			err := os.WriteFile("/proc/"+thread+"/timerslack_ns", []byte(wanted), 0)
			if err != nil && !os.IsNotExist(err) {
				return fmt.Errorf("set a timer slack of %s, without which the daemon uses more CPU; grant the capability CAP_SYS_NICE: %w", late, err)
			}
			done[thread] = true
		}
		if len(done) == before { // else a thread not changed yet may have started another
			return nil
		}
	}
}
