// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// TestRefusedDenialCloses: a switch that refuses a rule which denies something gets the group closed instead, until it
// takes the rule, or the rule is withdrawn. A refused permission closes nothing.
func TestRefusedDenialCloses(t *testing.T) {
	for _, end := range []string{"the switch takes it", "it is withdrawn", "it becomes another"} {
		t.Run(end, func(t *testing.T) {
			sw := bridge.NewFake()
			r := bridge.NewReconciler("h0", pipeline.Default(), sw, quick)
			start(t, r)
			refuse := func(f flow.Flow) string {
				if port, ok := f.Match.Uint(flow.TCPDst); ok && port == 22 {
					return "no"
				}
				return ""
			}
			sw.Refuse(refuse)
			rule := &ofnet.Rule{ID: ofnettest.RuleID("t:g", "r1"), Direction: ofnet.In, Priority: 10, Protocol: ofnet.ProtocolTCP,
				Ports: []ofnet.PortRange{{First: 22, Last: 22}}, Deny: true}
			allow := *rule
			allow.ID, allow.Deny, allow.Direction = ofnettest.RuleID("t:g", "r2"), false, ofnet.Out
			s := ofnettest.Many(2, 0)
			ofnettest.SetRule(s, "t:g", rule)
			ofnettest.SetRule(s, "t:g", &allow)
			r.Update(1, fill(s))
			wait(t, r, 1)
			closed := func() (n int) {
				for _, f := range sw.Set().Flows {
					if f.Priority == 58000 {
						n++
					}
				}
				return n
			}
			until(t, "the group closed", func() bool { return closed() == 1 })
			if st, ok := r.Owner(ofnet.Tier{Group: "t:g", Direction: ofnet.In, Priority: 10}.Key()); !ok || st.Phase != bridge.Failed || st.Err == "" {
				t.Errorf("owner: want it failed with a reason, got %+v", st)
			}
			switch end {
			case "the switch takes it":
				sw.Refuse(nil)
			case "it is withdrawn":
				r.Update(2, func(s *ofnet.State) {
					s.Rules.Delete(rule.ID)
				})
			default:
				r.Update(2, func(s *ofnet.State) {
					other := *rule
					other.Ports = nil
					s.Rules.Set(rule.ID, &other)
				})
			}
			until(t, "the group open again", func() bool { return closed() == 0 })
		})
	}
}
