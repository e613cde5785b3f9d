// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/contiv/contiv/test/bench/harness"
)

// worker is this program in a container, as server or client.
type worker struct {
	tb  *harness.Stand
	in  io.WriteCloser
	out *bufio.Scanner
}

// newWorker starts one in a network namespace and waits until it is ready. It ends with the measurement.
func newWorker(tb *harness.Stand, netns string, args ...string) *worker {
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command("ip", append([]string{"netns", "exec", netns, self}, args...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	w := &worker{tb, in, bufio.NewScanner(out)}
	tb.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // it ends with its input
	})
	if got := w.line(); got != "ready" {
		tb.Fatalf("%v in %s: %q", args, netns, got)
	}
	return w
}

func (w *worker) line() string {
	if !w.out.Scan() {
		w.tb.Fatalf("a worker ended: %v", w.out.Err())
	}
	return w.out.Text()
}

// measure has it carry out one line of ask.
func (w *worker) measure(line string) float64 {
	if _, err := fmt.Fprintln(w.in, line); err != nil {
		w.tb.Fatal(err)
	}
	got := w.line()
	n, err := strconv.ParseFloat(got, 64)
	if err != nil {
		w.tb.Fatalf("%s", strings.TrimPrefix(got, "error "))
	}
	return n
}
