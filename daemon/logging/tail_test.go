// SPDX-License-Identifier: Apache-2.0

package logging

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The last lines are in a file of bounded size, which a later process continues.
func TestKeepIn(t *testing.T) {
	dir := t.TempDir()
	for run := range 2 {
		r := &Recent{}
		if err := r.KeepIn(dir, "x"); err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(r, "run %d\n", run)
	}
	text, err := os.ReadFile(TailFile(dir, "x"))
	if err != nil || string(text) != "run 0\nrun 1\n" {
		t.Errorf("got %q, %v", text, err)
	}
	r := &Recent{}
	if err := r.KeepIn(dir, "x"); err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("x", 1000) + "\n"
	for range 3 * maxTail / len(line) {
		_, _ = r.Write([]byte(line))
	}
	for _, path := range []string{TailFile(dir, "x"), TailFile(dir, "x") + ".1"} {
		if info, err := os.Stat(path); err != nil || info.Size() > maxTail || info.Size() < 1000 {
			t.Errorf("%s: got %v, %v", path, info, err)
		}
	}
	if err := (&Recent{}).KeepIn("", "x"); err != nil {
		t.Errorf("no directory: got %v", err)
	}
	if err := (&Recent{}).KeepIn("/proc/none", "x"); err == nil {
		t.Error("a directory that cannot be made: want an error")
	}
}

// Lines are numbered, so that a reader continues where it was.
func TestAfter(t *testing.T) {
	r := &Recent{}
	for i := range recentLines + 10 {
		_, _ = fmt.Fprintf(r, "%d\n", i)
	}
	for _, row := range []struct {
		after uint64
		most  int
		want  string
	}{{recentLines + 8, 100, "2008\n2009\n"}, {recentLines + 8, 1, "2009\n"}, {recentLines + 10, 100, ""}, {1 << 60, 1, "2009\n"}, {0, 2, "2008\n2009\n"}} {
		lines, all := r.After(row.after, row.most)
		if strings.Join(lines, "") != row.want || all != recentLines+10 {
			t.Errorf("after %d: want %q, got %q of %d", row.after, row.want, lines, all)
		}
	}
	if lines, _ := r.After(0, 1<<20); len(lines) != recentLines || lines[0] != "10\n" {
		t.Errorf("want all that are kept, got %d", len(lines))
	}
}
