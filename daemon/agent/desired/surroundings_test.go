// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
)

// TestSurroundings: waiters for the surroundings are woken only by changes of them.
func TestSurroundings(t *testing.T) {
	blue := network("net", "blue", 7)
	w := start(t, tenant("blue", 3), blue, podOn(blue, "db", "h1", 2), record.Namespace{Name: "ns", Place: record.Place{Tenant: "blue"}})
	for _, row := range []struct {
		name string
		put  any
		want bool
	}{
		{"policy of Kubernetes", netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: "ns", Name: "p"}}, false},
		{"service", kubeService("ns", "web", "10.96.0.9"), true},
		{"pod", podOn(blue, "web", "h2", 3), true},
		{"network", network("other", "blue", 8), true},
		{"host", machine("h2", "192.0.2.2"), true},
		{"namespace", record.Namespace{Name: "ns2"}, true},
		{"rule", record.Rule{ID: identity.Rule{Policy: identity.Policy{Tenant: "blue", Name: "p"}, Rule: "r"}}, false},
	} {
		moved := w.e.Surroundings()
		changed := w.e.Changed()
		w.put(row.put)
		select {
		case <-changed:
		case <-w.ctx.Done():
			t.Fatalf("%s: want a notification", row.name)
		}
		w.e.Seen() // records received are reported before the engine accepts callers
		select {
		case <-moved:
			if !row.want {
				t.Errorf("%s: want no one woken", row.name)
			}
		default:
			if row.want {
				t.Errorf("%s: want those woken who look at the host", row.name)
			}
		}
	}
	w.reach("the service", func(s *ofnet.State) bool { return s.Services.Len() == 1 })
}
