// SPDX-License-Identifier: Apache-2.0

package vswitchd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/contiv/contiv/ofnet/vswitchd"
)

// The start of a process is between the boot and now.
func TestStarted(t *testing.T) {
	dir := t.TempDir()
	if _, err := vswitchd.Started(dir); err == nil {
		t.Error("without a file: want an error")
	}
	if err := os.WriteFile(filepath.Join(dir, "ovs-vswitchd.pid"), fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		t.Fatal(err)
	}
	var up float64
	if _, err := fmt.Sscan(string(text), &up); err != nil {
		t.Fatal(err)
	}
	after, err := vswitchd.Started(dir)
	if ago := up - after.Seconds(); err != nil || ago < -0.02 || ago > 600 {
		t.Errorf("want a start some seconds ago, got %.2f s, %v", ago, err)
	}
}
