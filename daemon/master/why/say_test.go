// SPDX-License-Identifier: Apache-2.0

package why

import (
	"testing"

	"github.com/contiv/contiv/api/model"
)

// The reason of a dropped packet names the object that drops it, and a network policy of Kubernetes with its namespace.
func TestDroppedByNetworkPolicy(t *testing.T) {
	end := model.TraceStep{Table: "refuse", Does: "drop"}
	for _, row := range []struct {
		step        model.TraceStep
		text, owner string
	}{
		{model.TraceStep{Table: "policy_in", Owner: "rule/t:p:ssh"}, "rule t:p:ssh denies it", "rule/t:p:ssh"},
		{model.TraceStep{Table: "admin_in", Owner: "classpolicy/no-db"}, "clusternetworkpolicy no-db of Kubernetes denies it", "classpolicy/no-db"},
		{model.TraceStep{Table: "netpol_out", Owner: "classpolicy/ns:p"}, "networkpolicy ns/p of Kubernetes denies it", "classpolicy/ns:p"},
		{model.TraceStep{Table: "netpol_in", Owner: "switch/h1"}, "network policies of Kubernetes isolate the receiver, and none lets it receive this", "switch/h1"},
		{model.TraceStep{Table: "netpol_out", Owner: "switch/h1"}, "network policies of Kubernetes isolate the sender, and none lets it send this", "switch/h1"},
		{model.TraceStep{Table: "admin_in", Owner: "level/in/admin/100"}, "network policies of tier and priority in/admin/100 that select the same pods have more rules than the switch has room for, and those beyond deny everything: give the policies different priorities", "level/in/admin/100"},
	} {
		if text, owner := dropped([]model.TraceStep{row.step, end}); text != row.text || owner != row.owner {
			t.Errorf("%+v: want %q by %q, got %q by %q", row.step, row.text, row.owner, text, owner)
		}
	}
}
