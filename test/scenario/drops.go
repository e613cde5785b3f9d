// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// stopped is the counter of packets that the userspace datapath drops while ovs-vswitchd has stopped the threads that handle new flows
// (ofproto-dpif-upcall.c, udpif_stop_threads; dpif-netdev.c, fast_path_processing). No flow of the pipeline drops these.
const stopped = "datapath_drop_lock_error"

// drops returns what the switches of all hosts have dropped since their start, by counter (ovs-vswitchd(8), coverage/show). A host whose
// switch does not answer adds nothing.
func (s *Session) drops() map[string]int {
	out := map[string]int{}
	for _, host := range s.hosts {
		if s.lab("exec", host, "--", "ovs-appctl", "coverage/show") != nil {
			continue
		}
		for line := range strings.Lines(s.stdout()) {
			name, n, ok := dropCounter(line)
			if ok {
				out[name] += n
			}
		}
	}
	return out
}

// dropCounter reads a line of coverage/show, "NAME RATE/sec RATE/sec RATE/sec total: N", of a counter of dropped packets.
func dropCounter(line string) (string, int, bool) {
	words := strings.Fields(line)
	if len(words) == 0 || !strings.HasPrefix(words[0], "datapath_drop_") && !strings.HasPrefix(words[0], "drop_action_") {
		return "", 0, false
	}
	n, err := strconv.Atoi(words[len(words)-1])
	return words[0], n, err == nil
}

// since describes the counters that have grown.
func since(before, after map[string]int) string {
	var grown []string
	for name, n := range after {
		if n > before[name] {
			grown = append(grown, fmt.Sprintf("%s %d", name, n-before[name]))
		}
	}
	slices.Sort(grown)
	return strings.Join(grown, ", ")
}
