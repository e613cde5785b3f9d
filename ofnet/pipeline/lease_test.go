// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Each leased flow names its lease, passes that lease's meter, and no two leases share one.
func TestLeases(t *testing.T) {
	meters, owners := map[uint32]bool{}, map[ofnet.Key]bool{}
	for lease, flows := range map[pipeline.Lease][]flow.Flow{
		pipeline.LeaseNames: append(pipeline.DNSQuestions(), pipeline.DNSBypass(7)...), pipeline.LeaseMessages: pipeline.Failures(), pipeline.LeaseProbes: pipeline.ProbeAnswers("h1"),
		pipeline.LeaseClaims: pipeline.Claims(), pipeline.LeaseConnections: pipeline.Observations(),
	} {
		m := lease.Meter()
		if m.ID < flow.LeasedMeters || m.Rate == 0 || m.Burst == 0 || meters[m.ID] || owners[lease.Owner()] {
			t.Errorf("%v: got meter %+v", lease.Owner(), m)
		}
		meters[m.ID], owners[lease.Owner()] = true, true
		for i := range flows {
			if owner, ok := pipeline.LeaseOf(flows[i].Cookie); !ok || owner != lease.Owner() || owner.Kind != ofnet.KindAgent || owner.Name == "" {
				t.Errorf("%s: want the owner %v, got %v", flows[i].Text(pipeline.Default().Tables()), lease.Owner(), owner)
			}
		}
	}
	if _, ok := pipeline.LeaseOf(flow.NewCookie(1, 0, 1)); ok {
		t.Error("a flow of a feature is no lease's")
	}
}
