// SPDX-License-Identifier: Apache-2.0

package scenario

import "testing"

// TestDrops: counters of drops are read from what ovs-appctl prints, and those that have grown are named.
func TestDrops(t *testing.T) {
	got := map[string]int{}
	for _, line := range []string{
		"Event coverage, avg rate over last: 5 seconds, last minute, last hour,  hash=8e6c7d6f:\n",
		"datapath_drop_lock_error   0.0/sec     0.017/sec        0.0003/sec   total: 3\n",
		"datapath_drop_upcall_error   0.0/sec     0.017/sec        0.0003/sec   total: 1\n",
		"flow_extract               1.6/sec     1.617/sec        0.9475/sec   total: 5000\n",
		"\n",
	} {
		if name, n, ok := dropCounter(line); ok {
			got[name] = n
		}
	}
	if text := since(map[string]int{stopped: 1, "datapath_drop_upcall_error": 1}, got); len(got) != 2 || text != stopped+" 2" {
		t.Errorf("got %v, grown %q; want two counters, of which %s grew by 2", got, text, stopped)
	}
}
