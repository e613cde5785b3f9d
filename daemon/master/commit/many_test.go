// SPDX-License-Identifier: Apache-2.0

package commit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/daemon/store/storetest"
)

// Many clients change networks, groups, policies and rules that need each other, all at once. Whatever shares a transaction,
// the rules between objects hold: no two networks overlap or have one number, what is named is there, and the records of
// rules, and the numbers taken, are those that a new leader finds to follow from the objects.
func TestManyChangeAtOnce(t *testing.T) {
	db := storetest.NewUnsteady(memory.New(), 2000, 25)
	m := mastertest.Start(t, mastertest.Options{Store: db})
	ctx := context.Background()
	const clients, rounds = 16, 60
	var wait sync.WaitGroup
	for c := range clients {
		random := rand.New(rand.NewPCG(5, uint64(c)))
		wait.Go(func() {
			for range rounds {
				n, remove := random.IntN(4), random.IntN(3) == 0
				name := fmt.Sprint(n)
				var o model.Object
				switch random.IntN(4) {
				case 0: // two at a time overlap
					o = &model.Network{TenantName: "default", NetworkName: "n" + name, Encap: "vxlan", Subnet: fmt.Sprintf("10.%d.%d.0/24", n/2, n%2), Gateway: fmt.Sprintf("10.%d.%d.1", n/2, n%2)}
					if random.IntN(2) == 0 {
						o.(*model.Network).Subnet = fmt.Sprintf("10.%d.0.0/16", n/2)
					}
				case 1:
					o = &model.EndpointGroup{TenantName: "default", NetworkName: "n" + name, GroupName: "g" + name, Policies: []string{"p" + fmt.Sprint(random.IntN(2))}}
				case 2:
					o = &model.Policy{TenantName: "default", PolicyName: "p" + fmt.Sprint(n%2)}
				default:
					o = &model.Rule{TenantName: "default", PolicyName: "p" + fmt.Sprint(n%2), RuleId: fmt.Sprint(random.IntN(6)), Direction: "in", Protocol: "tcp",
						Port: 80, Action: "allow", Priority: 1, FromEndpointGroup: []string{"", "g" + fmt.Sprint(random.IntN(4))}[n/2]}
				}
				var err error
				if remove {
					_, err = m.Delete(ctx, o.Kind(), o.ObjectKey())
				} else {
					_, err = m.Put(ctx, o)
				}
				if client.IsCode(err, model.CodeInternal) {
					t.Errorf("%s %s: %v", o.Kind().Name, o.ObjectKey(), err)
				}
			}
		})
	}
	wait.Wait()
	consistent(t, m)
	before := stored(t, db)
	m.Stop()
	next := mastertest.Start(t, mastertest.Options{Store: db})
	if _, err := next.Put(ctx, &model.Tenant{TenantName: "last"}); err != nil && !client.IsCode(err, model.CodeUnavailable) {
		t.Fatal(err)
	}
	after := stored(t, db)
	for key, value := range before {
		if after[key] != value {
			t.Errorf("a new leader has put right %s: was %s, is %q", key, value, after[key])
		}
	}
	for key := range after {
		if _, was := before[key]; !was {
			t.Errorf("a new leader has made %s", key)
		}
	}
}

// consistent checks the objects against each other.
func consistent(t *testing.T, m *mastertest.Master) {
	t.Helper()
	ctx := context.Background()
	have := map[string]bool{}
	all := map[string][]model.Object{}
	for _, k := range []*model.Kind{model.KindNetwork(), model.KindPolicy(), model.KindEndpointGroup(), model.KindRule()} {
		list, err := m.List(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		all[k.Name] = list
		for _, o := range list {
			have[k.Name+" "+o.ObjectKey()] = true
		}
	}
	tags, seconds := map[int]string{}, map[string]string{}
	m.Catalog.View(func(v *catalog.View) {
		for _, n := range v.Networks("") {
			if other := tags[n.Record.ExtPktTag]; other != "" || n.Record.ExtPktTag == 0 {
				t.Errorf("networks %s and %s have number %d", other, n.Record.ID, n.Record.ExtPktTag)
			}
			tags[n.Record.ExtPktTag] = n.Record.ID.String()
		}
		if taken := v.Numbers().VXLANs.InUse(); taken != len(tags) {
			t.Errorf("%d numbers are taken by %d networks", taken, len(tags))
		}
	})
	for _, o := range all[model.KindNetwork().Name] {
		n := o.(*model.Network)
		second := strings.Split(n.Subnet, ".")[1]
		if other, ok := seconds[second]; ok && (strings.HasSuffix(n.Subnet, "/16") || strings.HasSuffix(other, "/16") || n.Subnet == other) {
			t.Errorf("networks overlap: %s and %s", other, n.Subnet)
		}
		seconds[second] = n.Subnet
	}
	for _, o := range all[model.KindEndpointGroup().Name] {
		g := o.(*model.EndpointGroup)
		if !have["network default:"+g.NetworkName] || !have["policy default:"+g.Policies[0]] {
			t.Errorf("group %s stands on what is gone: %s, %s", g.GroupName, g.NetworkName, g.Policies)
		}
	}
	for _, o := range all[model.KindRule().Name] {
		if r := o.(*model.Rule); !have["policy default:"+r.PolicyName] {
			t.Errorf("rule %s of a policy that is gone: %s", r.RuleId, r.PolicyName)
		}
	}
}

// stored is what the store holds for agents, but for what every start of a master writes.
func stored(t *testing.T, db store.Store) map[string]string {
	t.Helper()
	items, _, err := db.List(context.Background(), record.State)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, it := range items {
		if strings.HasPrefix(it.Key, record.Tenants) {
			continue
		}
		var v any
		if json.Unmarshal(it.Value, &v) == nil {
			out[it.Key] = string(it.Value)
		}
	}
	return out
}
