// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/test/bench/report"
)

const (
	paintLimit  = 500 * time.Millisecond
	idleLimit   = 1.0 // percent of one core
	memoryLimit = 200 << 10
	waitLimit   = 30 * time.Second
)

// process measures the program as it is, in a terminal of its own.
func process(ctx context.Context, t *report.Table, bin, url string, size sizes, idle time.Duration) error {
	terminal, err := openTerminal(160, 50)
	if err != nil {
		return err
	}
	defer terminal.close()
	begin := time.Now()
	pid, end, err := terminal.start(ctx, bin, "--netmaster", url, "--theme", "dark")
	if err != nil {
		return err
	}
	defer end()
	skeleton, err := terminal.wait(begin, "contiv")
	if err != nil {
		return err
	}
	whole, err := terminal.wait(begin, strconv.Itoa(size.endpoints)+" endpoints")
	if err != nil {
		return err
	}
	t.Add(report.Row{What: "first paint after the start of the process", Ours: report.Millis(skeleton), Target: "<= " + report.Millis(paintLimit), Met: skeleton <= paintLimit})
	t.Add(report.Row{What: "everything received and on the screen", Ours: report.Millis(whole), Target: "none", Met: true})
	if _, err := terminal.master.WriteString("8"); err != nil { // the endpoints, so that their rows count too
		return err
	}
	if _, err := terminal.wait(time.Now(), "web-00"); err != nil {
		return err
	}
	time.Sleep(settling(size)) // until all networks have been asked about
	for _, p := range []struct{ name, key string }{{"endpoints", "8"}, {"overview", "1"}, {"topology", "2"}, {"addresses", "3"}, {"events", "7"}} {
		if _, err := terminal.master.WriteString(p.key); err != nil {
			return err
		}
		time.Sleep(3 * time.Second) // what the start left behind
		before, err := spent(pid)
		if err != nil {
			return err
		}
		time.Sleep(idle)
		after, err := spent(pid)
		if err != nil {
			return err
		}
		percent := 100 * (after - before).Seconds() / idle.Seconds()
		t.Add(report.Row{What: "CPU of an idle console, " + p.name, Ours: fmt.Sprintf("%.2f %%", percent), Target: fmt.Sprintf("< %.0f %%", idleLimit), Met: percent < idleLimit})
	}
	for _, m := range []struct{ name, field string }{{"memory, resident at the end", "VmRSS:"}, {"memory, the most", "VmHWM:"}} {
		kib, err := status(pid, m.field)
		if err != nil {
			return err
		}
		t.Add(report.Row{What: m.name, Ours: fmt.Sprintf("%d MiB", kib>>10), Target: fmt.Sprintf("<= %d MiB", memoryLimit>>10), Met: kib <= memoryLimit})
	}
	return nil
}

// settling is how long a console that has just begun is not idle yet: it asks about 32 networks a second.
func settling(size sizes) time.Duration {
	return time.Duration(size.networks/32+5) * time.Second
}

// terminal is a pseudo terminal (pty(7)) and what was written to it.
type terminal struct {
	master, user *os.File
	mu           sync.Mutex
	text         bytes.Buffer
	more         chan struct{}
}

func openTerminal(width, height uint16) (*terminal, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, fmt.Errorf("unlock a pseudo terminal: %w", err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, fmt.Errorf("number of a pseudo terminal: %w", err)
	}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: height, Col: width}); err != nil {
		return nil, fmt.Errorf("size of a pseudo terminal: %w", err)
	}
	user, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	t := &terminal{master: master, user: user, more: make(chan struct{}, 1)}
	go t.read()
	return t, nil
}

// start runs the console in the terminal, until end is called.
func (t *terminal) start(ctx context.Context, bin string, flags ...string) (pid int, end func(), err error) {
	cmd := exec.CommandContext(ctx, bin, append([]string{"console"}, flags...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.user, t.user, t.user
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	return cmd.Process.Pid, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}, nil
}

func (t *terminal) read() {
	chunk := make([]byte, 64<<10)
	for {
		n, err := t.master.Read(chunk)
		t.mu.Lock()
		t.text.Write(chunk[:n])
		t.mu.Unlock()
		select {
		case t.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// wait waits until text, or anything if it is empty, has been written since the last wait, and returns how long after begin that was.
func (t *terminal) wait(begin time.Time, text string) (time.Duration, error) {
	deadline := time.After(waitLimit)
	for {
		t.mu.Lock()
		got := ansi.Strip(t.text.String())
		found := strings.Contains(got, text) && t.text.Len() > 0
		if found {
			t.text.Reset()
		}
		t.mu.Unlock()
		if found {
			return time.Since(begin), nil
		}
		select {
		case <-t.more:
		case <-deadline:
			return 0, fmt.Errorf("the console did not write %q in %v; it wrote %q", text, waitLimit, got)
		}
	}
}

// clear forgets what was written.
func (t *terminal) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Reset()
}

func (t *terminal) close() {
	_ = t.user.Close()
	_ = t.master.Close()
}

// spent is the CPU time of a process: of each of its threads, to the nanosecond (proc(5), schedstat).
func spent(pid int) (sum time.Duration, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err == nil && len(threads) == 0 {
		err = fmt.Errorf("process %d has ended", pid)
	}
	if err != nil {
		return 0, err
	}
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		first, _, _ := strings.Cut(string(text), " ")
		took, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		sum += time.Duration(took)
	}
	return sum, nil
}

// status is a figure of a process, in KiB (proc(5), status).
func status(pid int, field string) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), field)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("process %d has no %s", pid, field)
	}
	return strconv.Atoi(fields[0])
}
