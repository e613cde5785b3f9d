// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
)

// podOn is a pod of namespace ns with a label app.
func podOn(n record.Network, name, host string, last int) record.Endpoint {
	e := member(n, name, host, last)
	e.Pod.ID, e.Labels = identity.Pod{Namespace: "ns", Name: name}, map[string]string{"app": name}
	return e
}

// TestNetPolicy follows a policy from its record into the State, while pods come and go.
func TestNetPolicy(t *testing.T) {
	n := network("net", "blue", 7)
	web, db := podOn(n, "web", "h2", 1), podOn(n, "db", "h1", 2)
	app := func(name string) netpolicy.Selector {
		return netpolicy.NewSelector(netpolicy.Requirement{Key: "app", Operator: netpolicy.In, Values: []string{name}})
	}
	policy := netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: "ns", Name: "p"}, Pods: app("db"), Ingress: netpolicy.Direction{Isolates: true,
		Rules: []netpolicy.Rule{{Number: 1, Peers: []netpolicy.Peer{{Own: true, Pods: app("web")}}}}}}
	w := start(t, tenant("blue", 3), n, db, record.Namespace{Name: "ns"})
	w.put(policy)
	w.reach("isolation of the pod that is here", func(s *ofnet.State) bool {
		e := s.Endpoints.Get(db.ID.String())
		p := s.ClassPolicies.Get("ns:p/in")
		return e.Isolated == ofnet.In && e.Class != 0 && p != nil && len(p.Rules) == 0 && s.Judgements.Get("blue") != nil
	})
	w.put(web)
	w.reach("a rule about the pod elsewhere", func(s *ofnet.State) bool {
		p, e := s.ClassPolicies.Get("ns:p/in"), s.Endpoints.Get(web.ID.String())
		return e != nil && e.Isolated == 0 && len(p.Rules) == 1 && slices.Equal(p.Rules[0].Peers, []uint32{e.Class})
	})
	before := w.b.state.Judgements.Get("blue").Sum
	web.Labels = map[string]string{"app": "other"}
	w.put(web)
	w.reach("no rule about it under another label, and another judgement", func(s *ofnet.State) bool {
		return len(s.ClassPolicies.Get("ns:p/in").Rules) == 0 && s.Judgements.Get("blue").Sum != before
	})
	w.del(policy)
	w.reach("nothing left of the policy", func(s *ofnet.State) bool {
		e := s.Endpoints.Get(db.ID.String())
		return s.ClassPolicies.Len() == 0 && s.Judgements.Len() == 0 && e.Isolated == 0 && e.Class == 0
	})
}

// TestUnreadableNetPolicy isolates whom a policy may select that cannot be read.
func TestUnreadableNetPolicy(t *testing.T) {
	n := network("net", "blue", 7)
	db := podOn(n, "db", "h1", 2)
	for _, row := range []struct{ name, key string }{
		{"of a namespace", record.NetworkPolicies + "ns:p"},
		{"of the cluster", record.ClusterNetworkPolicies + "c"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := start(t, tenant("blue", 3), n, db)
			var tx store.Tx
			tx.Put(row.key, []byte(`{"name":"c","tier":"new","id":7}`))
			w.commit(&tx)
			w.reach("isolation", func(s *ofnet.State) bool {
				c := s.ClassPolicies.Get("c/in")
				return s.Endpoints.Get(db.ID.String()).Isolated == ofnet.Both || c != nil && len(c.Rules) == 1 && c.Rules[0].Action == ofnet.Deny && c.Rules[0].Anyone
			})
			if got := w.e.Malformed(); !slices.Equal(got, []string{row.key}) {
				t.Errorf("want %s among what cannot be read, got %v", row.key, got)
			}
			var again store.Tx
			again.Delete(row.key)
			w.commit(&again)
			w.reach("its end", func(s *ofnet.State) bool {
				return s.ClassPolicies.Len() == 0 && s.Endpoints.Get(db.ID.String()).Isolated == 0
			})
		})
	}
}

// TestOwnAddresses finds the node that a host is by the address of its tunnels.
func TestOwnAddresses(t *testing.T) {
	w := start(t)
	own, far := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	six := netip.MustParseAddr("2001:db8::1")
	w.put(record.KubernetesNode{Name: "h2", Addresses: []netip.Addr{far}})
	w.put(record.KubernetesNode{Name: "h1", Addresses: []netip.Addr{own, six}})
	w.reach("its addresses", func(s *ofnet.State) bool { return slices.Equal(s.Own, []netip.Addr{own, six}) })
	w.del(record.KubernetesNode{Name: "h1"})
	w.reach("what it has itself", func(s *ofnet.State) bool { return slices.Equal(s.Own, []netip.Addr{own}) })
}
