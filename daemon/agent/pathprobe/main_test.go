// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"os"
	"runtime"
	"testing"
)

// TestMain gives the tests one processor. The probers of a bubble have many timers, and those that expired while nobody waited for them run on the goroutines
// that receive. Go 1.26 keeps one context of the race detector for all timers of a bubble, so that two at once crash the test (golang.org/issue/78156). The
// detector finds the same races on one processor, since it compares the order that synchronization gives.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	os.Exit(m.Run())
}
