// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

const brName = "br0"

// startMost bounds the time in which an agent must program its switch.
const startMost = time.Second

// figures are the measurements of one agent.
type figures struct {
	took        []time.Duration // from the start of its process until the switch had everything
	most        []int           // resident memory, in KiB
	settled     []int
	flows, mods int
}

// measure starts agents on an empty switch, and again on a completely programmed one.
func measure(ctx context.Context, tb *harness.Stand, t *report.Table, l *layout, s settings) {
	url := netmaster(tb, l)
	ovs := ovstest.Start(tb)
	ovs.Bridge(brName)
	var first, again figures
	for range s.rounds {
		ovs.Ofctl("del-flows", brName)
		ovs.Ofctl("del-groups", brName)
		first.add(ctx, tb, url, ovs.Mgmt(brName), s, "empty-")
		again.add(ctx, tb, url, ovs.Mgmt(brName), s, "full-")
	}
	if again.mods != 0 {
		tb.Fatalf("a switch that had everything got %d changes", again.mods)
	}
	first.rows(t, fmt.Sprintf("%d records, an empty switch gets %d flows", l.endpoints, first.flows), l)
	again.rows(t, "the same agent once more, the switch has everything", l)
}

// add measures one agent.
func (f *figures) add(ctx context.Context, tb *harness.Stand, url, mgmt string, s settings, round string) {
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	args := []string{"-netmaster", url, "-switch", mgmt}
	if s.profiles != "" {
		args = append(args, "-profiles", s.profiles+round)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stderr, cmd.SysProcAttr = os.Stderr, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	f.took = append(f.took, time.Since(began))
	if err != nil {
		tb.Fatalf("the agent said nothing: %v, %v", err, cmd.Wait())
	}
	if _, err := fmt.Sscanf(line, "programmed %d %d", &f.flows, &f.mods); err != nil {
		tb.Fatalf("the agent said %q", line)
	}
	select {
	case <-time.After(s.settle):
	case <-ctx.Done():
	}
	f.most, f.settled = append(f.most, memory(tb, cmd.Process.Pid, "VmHWM")), append(f.settled, memory(tb, cmd.Process.Pid, "VmRSS"))
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		tb.Fatal(err)
	}
}

// memory returns a line of a process's status (proc_pid_status(5)) in KiB.
func memory(tb *harness.Stand, pid int, what string) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, what+":"); is {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			if err != nil {
				tb.Fatal(err)
			}
			return n
		}
	}
	tb.Fatalf("process %d has no %s", pid, what)
	return 0
}

// rows adds the figures to a report.
func (f *figures) rows(t *report.Table, what string, l *layout) {
	took := report.Median(f.took)
	t.Add(report.Row{What: what + ": until that is known", Ours: report.Millis(took), Target: "<= " + report.Millis(startMost), Met: took <= startMost})
	for _, m := range []struct {
		what   string
		have   []int
		target int
	}{{"... resident memory, the most", f.most, l.most}, {"... when it has settled", f.settled, l.settled}} {
		have := report.Median(m.have)
		t.Add(report.Row{What: m.what, Ours: fmt.Sprintf("%.0f MiB", float64(have)/1024), Target: fmt.Sprintf("<= %d MiB", m.target), Met: have <= m.target<<10})
	}
}
