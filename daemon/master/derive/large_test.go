package derive_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/memory"
)

// narrow is a store with the limits of Consul, which remembers what each transaction did to records of rules.
type narrow struct {
	*memory.Store
	mu      sync.Mutex
	changes [][]store.Op
}

func (n *narrow) Limits() store.Limits { return store.Limits{Ops: 60, Bytes: 350 << 10} }

func (n *narrow) String() string { return "a narrow store" }

func (n *narrow) Commit(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	if err := n.Limits().Check(tx); err != nil {
		return 0, err
	}
	var of []store.Op
	for _, op := range tx.Ops() {
		if strings.HasPrefix(op.Key, record.PolicyRules) {
			of = append(of, op)
		}
	}
	n.mu.Lock()
	if len(of) > 0 {
		n.changes = append(n.changes, of)
	}
	n.mu.Unlock()
	return n.Store.Commit(ctx, tx)
}

// taken returns what was done since it was last called.
func (n *narrow) taken() [][]store.Op {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.changes
	n.changes = nil
	return out
}

// fillPolicy gives policy p1 rules with ports, of which every fifth denies.
func fillPolicy(t *testing.T, m *mastertest.Master, count int) {
	t.Helper()
	for from := 0; from < count; from += 50 {
		var some []model.ApplyObject
		for i := from; i < min(from+50, count); i++ {
			action := "allow"
			if i%5 == 0 {
				action = "deny"
			}
			some = append(some, model.ApplyObject{Kind: "rule", Fields: map[string]any{"tenantName": "default", "policyName": "p1",
				"ruleId": fmt.Sprint(i), "direction": "in", "protocol": "tcp", "port": i + 1, "action": action}})
		}
		if _, _, err := m.Apply(context.Background(), model.ApplyRequest{Objects: some}); err != nil {
			t.Fatal(err)
		}
	}
}

func countPlaced(t *testing.T, m *mastertest.Master) int {
	t.Helper()
	items, _, err := m.Store.List(context.Background(), record.PolicyRules)
	if err != nil {
		t.Fatal(err)
	}
	return len(items)
}

// POL-14: a policy of a thousand rules is attached to several groups, changed and taken away, on every store: no change is
// too large, and its answer comes when everything is in place.
func TestPOL_14_Large(t *testing.T) {
	ctx := context.Background()
	stores := map[string]func(*testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memory.New() },
		"narrow": func(*testing.T) store.Store { return &narrow{Store: memory.New()} },
		"etcd": func(t *testing.T) store.Store {
			s, err := embedded.Start(ctx, embedded.Config{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
	}
	const rules = 1000
	for name, open := range stores {
		groups := 3
		if name == "memory" {
			groups = 10
		}
		t.Run(name, func(t *testing.T) {
			m := mastertest.Start(t, mastertest.Options{Store: open(t)})
			m.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "policy p1")
			fillPolicy(t, m, rules)
			began := time.Now()
			for i := range groups {
				m.Must(t, fmt.Sprintf("group g%d networkName=net1 policies=p1", i))
				if got, want := countPlaced(t, m), 2*rules*(i+1); got != want {
					t.Fatalf("after %d groups: want %d records, got %d", i+1, want, got)
				}
			}
			attached := time.Since(began)
			m.Must(t, "rule p1:more direction=in action=allow protocol=udp port=53")
			if got, want := countPlaced(t, m), 2*(rules+1)*groups; got != want {
				t.Errorf("after one more rule: want %d records, got %d", want, got)
			}
			began = time.Now()
			for i := range groups {
				m.Must(t, fmt.Sprintf("group g%d policies=", i))
			}
			if got := countPlaced(t, m); got != 0 {
				t.Errorf("after detaching: %d records are left", got)
			}
			t.Logf("%d rules on %d groups: attached in %s, detached in %s", rules, groups, attached, time.Since(began))
			if _, err := m.Policys().Delete(ctx, "default", "p1"); err != nil {
				t.Fatal(err)
			}
			if list, err := m.Rules().List(ctx); err != nil || len(list) != 0 {
				t.Errorf("the rules must go with their policy, got %d, %v", len(list), err)
			}
			m.Must(t, "policy p1")
		})
	}
}

// Of a change that is split, what denies comes first and goes last: traffic that is to be stopped never passes on the way.
func TestPOL_14_Order(t *testing.T) {
	db := &narrow{Store: memory.New()}
	m := mastertest.Start(t, mastertest.Options{Store: db})
	m.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "policy p1")
	fillPolicy(t, m, 100)
	db.taken()
	actions := map[string]string{}
	for _, step := range []struct {
		policies string
		want     []string
	}{
		{"p1", []string{"put deny", "put allow"}},
		{"", []string{"delete allow", "delete deny"}},
	} {
		m.Must(t, "group g networkName=net1 policies="+step.policies)
		var order []string
		all := db.taken()
		if len(all) < 2 {
			t.Fatalf("the change must not fit one transaction, got %d", len(all))
		}
		for _, ops := range all {
			for _, op := range ops {
				what := "delete " + actions[op.Key]
				if !op.Delete {
					var r record.PolicyRule
					if err := json.Unmarshal(op.Value, &r); err != nil {
						t.Fatal(err)
					}
					actions[op.Key], what = r.Action, "put "+r.Action
				}
				order = append(order, what)
			}
		}
		if got := slices.Compact(order); !slices.Equal(got, step.want) {
			t.Errorf("policies %q: want %v, got %v", step.policies, step.want, got)
		}
	}
}

// A new leader finishes what the old one began, and removes what nothing causes; meanwhile the number of a group that is
// gone stays taken, for records still mention it.
func TestPOL_14_NewLeader(t *testing.T) {
	ctx := context.Background()
	db := memory.New()
	first := mastertest.Start(t, mastertest.Options{Store: db})
	first.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "policy p1")
	fillPolicy(t, first, 200)
	first.Must(t, "group g networkName=net1 policies=p1")
	whole := first.AgentRules(t)
	first.Stop()

	// As a leader leaves it that ends half way.
	half := &store.Tx{}
	items, _, err := db.List(ctx, record.PolicyRules)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items[:100] {
		half.Delete(it.Key)
	}
	var changed record.PolicyRule
	if err := json.Unmarshal(items[200].Value, &changed); err != nil {
		t.Fatal(err)
	}
	changed.SrcEndpointGroup = 77
	put := func(key string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		half.Put(key, text)
	}
	put(items[200].Key, &changed)
	stale := record.PolicyRule{ID: record.PolicyRuleID("default", "gone", "p1", "1", record.InRx), DstEndpointGroup: 2, Action: "deny"}
	stale.RuleID = stale.ID
	put(record.PolicyRules+stale.ID, &stale)
	put(record.Objects+"rule/default:lost:1", &model.Rule{TenantName: "default", PolicyName: "lost", RuleId: "1", Direction: "in", Action: "deny"})
	if _, err := db.Commit(ctx, half); err != nil {
		t.Fatal(err)
	}

	second := mastertest.Start(t, mastertest.Options{Store: db})
	if _, err := second.Settler.Wait(ctx, second.Catalog.Revision()); err != nil {
		t.Fatal(err)
	}
	if got := second.AgentRules(t); !slices.Equal(got, whole) {
		t.Errorf("want the %d records of the policy, got %d: %s", len(whole), len(got), strings.Join(got, "\n"))
	}
	if _, err := second.Rules().Get(ctx, "default", "lost", "1"); err == nil {
		t.Error("a rule whose policy is gone must go too")
	}
	if second.Settler.Pending() != 0 || second.Settler.Written() < 103 {
		t.Errorf("want nothing pending and at least 103 written, got %d, %d", second.Settler.Pending(), second.Settler.Written())
	}
}
