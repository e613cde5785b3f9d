// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/pipeline"
)

// traffic is what has gone through an endpoint's port.
type traffic struct{ offered, sent, received uint64 }

// counters are what the switch has counted for an endpoint.
func (w *wires) counters(endpoint string) traffic {
	return traffic{w.counted(pipeline.Offered, endpoint), w.counted(pipeline.Sent, endpoint), w.counted(pipeline.Received, endpoint)}
}

func (w *wires) counted(c pipeline.Counter, endpoint string) (n uint64) {
	flows := w.lab.ovs.Ofctl("dump-flows", "br0", fmt.Sprintf("cookie=%#x/-1", uint64(pipeline.Default().Counted(c, endpoint))))
	for _, m := range regexp.MustCompile(`n_packets=(\d+)`).FindAllStringSubmatch(flows, -1) {
		more, _ := strconv.ParseUint(m[1], 10, 64)
		n += more
	}
	return n
}

// checkCounters compares what the switch has counted with what has gone through the ports, to the packet. It waits until the switch has
// added up what its datapath has counted.
func (w *wires) checkCounters(t *testing.T) {
	t.Helper()
	for port := range w.sockets { // what is still on its way to a test
		for b := w.receive(t, port); b != nil; b = w.receive(t, port) {
		}
	}
	for id, e := range w.Endpoints.All() {
		if e.Host != w.Self {
			continue
		}
		want, got := w.passed[fmt.Sprintf("p%d", e.Port)], w.counters(id)
		for limit := time.Now().Add(5 * time.Second); got != want && time.Now().Before(limit); got = w.counters(id) {
			time.Sleep(50 * time.Millisecond)
		}
		if got != want {
			t.Errorf("counters of %s: want %+v, got %+v", id, want, got)
		}
	}
}
