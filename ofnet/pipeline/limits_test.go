// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// An endpoint's own limits hold beside those of its group: the lower rate, with its own burst.
func TestLimits(t *testing.T) {
	for _, row := range []struct {
		name          string
		group         string
		own           ofnet.Limits
		sends, burst  uint32 // of the meter for sending, 0: there is none
		receives, top uint32
	}{
		{"none", "", ofnet.Limits{}, 0, 0, 0, 0},
		{"its own", "", ofnet.Limits{Rate: 1000, ReceiveRate: 2000, ReceiveBurst: 300}, 1000, 250, 2000, 300},
		{"lower than the group's", "rate=5000 burst=100 receive=5000", ofnet.Limits{Rate: 1000, ReceiveRate: 2000}, 1000, 250, 2000, 500},
		{"higher than the group's", "rate=500 burst=100", ofnet.Limits{Rate: 1000, ReceiveRate: 2000}, 500, 100, 2000, 500},
	} {
		s := ofnettest.Parse(t, "self h1\nports uplink=1001\nhost h1 vtep=192.0.2.1\ntenant t id=1\ngroup t:g id=0x10001 "+row.group+
			"\nnetwork t:n id=1 vxlan=5 bridge proxy net=10.1.0.0/24 gw=10.1.0.254\nendpoint e network=t:n group=t:g host=h1 port=7 mac=02:02:00:00:00:01 ip=10.1.0.1\n")
		e := *s.Endpoints.Get("e")
		e.Limits = row.own
		s.Endpoints.Set("e", &e)
		got := map[uint32][2]uint32{}
		for _, m := range pipeline.Default().CompileAll(s).Meters {
			got[m.ID] = [2]uint32{m.Rate, m.Burst}
		}
		if got[7] != [2]uint32{row.sends, row.burst} || got[7+1<<16] != [2]uint32{row.receives, row.top} {
			t.Errorf("%s: got %v", row.name, got)
		}
	}
}
