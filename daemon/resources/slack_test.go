// SPDX-License-Identifier: Apache-2.0

package resources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Slack sets the slack of every thread, if that is permitted.
func TestSlack(t *testing.T) {
	if err := Slack(3 * time.Millisecond); err != nil {
		if !errors.Is(err, fs.ErrPermission) {
			t.Fatal(err)
		}
		return
	}
	threads, err := filepath.Glob("/proc/self/task/[0-9]*")
	if err != nil || len(threads) == 0 {
		t.Fatal(threads, err)
	}
	for _, f := range threads {
		text, err := os.ReadFile("/proc/" + filepath.Base(f) + "/timerslack_ns")
		if got := strings.TrimSpace(string(text)); err == nil && got != "3000000" {
			t.Errorf("thread %s: want 3000000 ns, got %s", filepath.Base(f), got)
		}
	}
}
