// SPDX-License-Identifier: Apache-2.0

package app

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/console/feed"
)

// processorTime is the time that this thread has had on a processor: other programs of the machine do not count.
func processorTime(tb testing.TB) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// BenchmarkDrawing draws frames at scale, each after the cursor has moved and after a new snapshot has come, and reports the 99th percentile
// of drawing, by the clock and in time of the processor. The goal is 8 ms.
func BenchmarkDrawing(b *testing.B) {
	crowded := func(hosts int) *feed.Snapshot { return fleet(hosts, 50000) }
	for _, x := range []struct {
		name, path string
		make       func() *feed.Snapshot
		keys       []string
	}{
		{"overview", "overview", func() *feed.Snapshot { return crowded(1000) }, nil},
		{"endpoints", "endpoints", func() *feed.Snapshot { return crowded(1000) }, nil},
		{"matrix-equal", "matrix/big", func() *feed.Snapshot { return crowd(300, false) }, nil},
		{"matrix-different", "matrix/big", func() *feed.Snapshot { return crowd(300, true) }, nil},
		{"matrix-unfolded", "matrix/big", func() *feed.Snapshot { return crowd(300, true) }, []string{"space"}},
		{"topology-1000", "topology", func() *feed.Snapshot { return crowded(1000) }, nil},
		{"topology-5000", "topology", func() *feed.Snapshot { return crowded(5000) }, nil},
		{"topology-5000-hosts", "topology", func() *feed.Snapshot { return crowded(5000) }, []string{"tab"}},
		{"topology-5000-group", "topology/group/t1/g3-07", func() *feed.Snapshot { return crowded(5000) }, nil},
	} {
		for _, size := range terminals()[1:] {
			b.Run(x.name+"-"+map[int]string{120: "120x40", 200: "200x60"}[size[0]], func(b *testing.B) {
				s := x.make()
				m := scaled(b, s, x.path, size, x.keys...)
				m.InBackground(func() {})
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				var took, busy []time.Duration
				for i := 0; b.Loop(); i++ {
					b.StopTimer()
					press(m, []string{"down", "right", "down", "up"}[i%4])
					if i%2 == 0 {
						next := *s
						next.Received = s.Received.Add(time.Duration(i) * time.Millisecond)
						m.Update(&next)
					}
					b.StartTimer()
					start, used := time.Now(), processorTime(b)
					m.Frame()
					took, busy = append(took, time.Since(start)), append(busy, processorTime(b)-used)
				}
				slices.Sort(took)
				slices.Sort(busy)
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(busy[len(busy)*99/100].Microseconds())/1000, "p99-cpu-ms")
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			})
		}
	}
}
