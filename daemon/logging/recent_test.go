// SPDX-License-Identifier: Apache-2.0

package logging

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// The last lines are kept in order, within a limit of lines and one of bytes.
func TestRecent(t *testing.T) {
	for _, row := range []struct {
		name        string
		lines, long int
		first       string // of what is kept
		kept        int    // lines
	}{
		{"nothing", 0, 0, "", 0},
		{"few", 3, 20, "0 ", 3},
		{"many", recentLines + 5, 20, "5 ", recentLines},
		{"long", 200, 5 << 10, "98 ", recentBytes / (5 << 10)},
		{"longer than a line may be", 1, longestLine * 2, "0 ", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := &Recent{}
			for i := range row.lines {
				head := fmt.Sprintf("%d ", i)
				line := head + strings.Repeat("x", row.long-len(head)-1) + "\n"
				if n, err := r.Write([]byte(line)); n != len(line) || err != nil {
					t.Fatalf("got %d, %v", n, err)
				}
			}
			text := r.Text()
			if n := bytes.Count(text, []byte("\n")); n != row.kept || !strings.HasPrefix(string(text), row.first) || len(text) > recentBytes {
				t.Errorf("want %d lines from %q on, got %d of %d bytes, which begin %.20q", row.kept, row.first, n, len(text), text)
			}
		})
	}
}

// Log lines of each format are written and kept, and those below the level are neither.
func TestKept(t *testing.T) {
	for _, json := range []bool{false, true} {
		recent, out := &Recent{}, &bytes.Buffer{}
		log, err := New(Config{Level: "INFO", JSON: json}, "test", out, recent)
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("quiet")
		log.Info("loud", "host", "h1")
		if got := string(recent.Text()); got != out.String() || !strings.Contains(got, "h1") || strings.Contains(got, "quiet") {
			t.Errorf("JSON %t: want the same line twice, got %q and %q", json, out, got)
		}
	}
	if _, err := New(Config{Level: "INFO"}, "test", io.Discard, nil); err != nil {
		t.Error(err)
	}
}
