// SPDX-License-Identifier: Apache-2.0

package classify

import (
	"math/rand/v2"
	"testing"

	"github.com/contiv/contiv/netpolicy"
)

// TestNumbering takes classes in and out of few numbers: whatever the order, those that are there have the same ones.
func TestNumbering(t *testing.T) {
	const most = 40
	rnd := rand.New(rand.NewPCG(1, 2))
	all := make([]*class, 30)
	for i := range all {
		all[i] = &class{key: string(rune('a' + i)), sum: rnd.Uint64()}
	}
	n, there, known := newNumbering(most), map[*class]struct{}{}, map[*class]uint32{}
	for range 2000 {
		x := all[rnd.IntN(len(all))]
		var others []*class
		if _, ok := there[x]; ok {
			delete(there, x)
			delete(known, x)
			others = n.remove(x)
		} else {
			there[x] = struct{}{}
			others = n.add(x)
			known[x] = x.number
		}
		for _, o := range others {
			known[o] = o.number
		}
		afresh := newNumbering(most)
		for x := range there { // in random order
			copied := *x
			copied.number = 0
			afresh.add(&copied)
		}
		for x := range there {
			if x.number < 1 || x.number > most || n.taken[x.number] != x {
				t.Fatalf("class %s: want a number of its own, got %d", x.key, x.number)
			}
			if want := afresh.taken[x.number]; want == nil || want.key != x.key {
				t.Fatalf("class %s has number %d, which afresh is not its", x.key, x.number)
			}
			if known[x] != x.number {
				t.Fatalf("class %s: reported number %d, is %d", x.key, known[x], x.number)
			}
		}
	}
}

// TestOfOtherHosts shows that policies that select no pod here ask nothing.
func TestOfOtherHosts(t *testing.T) {
	c := New()
	app := netpolicy.NewSelector(netpolicy.Requirement{Key: "app", Operator: netpolicy.In, Values: []string{"web"}})
	p := &netpolicy.Policy{Pods: app, Ingress: netpolicy.Direction{Isolates: true, Rules: []netpolicy.Rule{{Number: 1, Peers: []netpolicy.Peer{{Own: true}}}}}}
	p.ID.Namespace, p.ID.Name = "ns", "p"
	c.SetNetworkPolicy(p)
	c.SetPod(Pod{ID: "far", Namespace: "ns", Labels: map[string]string{"app": "web"}, Tenant: "t"})
	if class, _ := c.Class("far"); class != 0 || len(c.questions) != 1 || c.Judgement("t") != nil {
		t.Fatalf("without a pod here: want no class, a question and no judgement, got %d, %d, %v", class, len(c.questions), c.Judgement("t"))
	}
	c.SetPod(Pod{ID: "near", Namespace: "ns", Labels: map[string]string{"app": "web"}, Tenant: "t", Here: true})
	if class, _ := c.Class("far"); class == 0 || len(c.questions) != 2 || c.Judgement("t") == nil {
		t.Fatalf("with a pod here: want a class, 2 questions and a judgement, got %d, %d, %v", class, len(c.questions), c.Judgement("t"))
	}
	c.RemovePod("near")
	c.RemovePolicy("ns:p")
	if len(c.questions)+len(c.classes)+len(c.index)+len(c.tenants)+len(c.numbers.taken) != 0 {
		t.Errorf("without the policy: want nothing left, got %+v", c)
	}
}
