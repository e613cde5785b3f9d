// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/memory"
)

// narrow is a store with the limits of Consul that remembers the operations of each transaction on records for agents.
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
		if strings.HasPrefix(op.Key, record.State) {
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

// taken returns the operations since the last call.
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
	const at = 20 // a rule is two operations
	for from := 0; from < count; from += at {
		var some []model.ApplyObject
		for i := from; i < min(from+at, count); i++ {
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

// count counts the records of policies that agents hold.
func count(t *testing.T, db store.Store) (n int) {
	t.Helper()
	for _, prefix := range []string{record.Rules, record.Attachments, record.LegacyRules, record.LegacyAttachments} {
		items, _, err := db.List(context.Background(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		n += len(items)
	}
	return n
}

// POL-14: a policy of thousands of rules is attached to several groups, changed, detached and deleted, on every store: no change is
// too large, its answer arrives when everything is in place, and agents hold a record for each rule and one for each group.
func TestPOL_14_Large(t *testing.T) {
	ctx := context.Background()
	for name, store := range map[string]struct {
		open  func(*testing.T) store.Store
		rules int
	}{
		"memory": {func(*testing.T) store.Store { return memory.New() }, 5000},
		"narrow": {func(*testing.T) store.Store { return &narrow{Store: memory.New()} }, 1000},
		"etcd": {func(*testing.T) store.Store {
			s, err := embedded.Start(ctx, embedded.Config{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			const groups = 8
			m := mastertest.Start(t, mastertest.Options{Store: store.open(t)})
			m.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "policy p1")
			fillPolicy(t, m, store.rules)
			for i := range groups {
				m.Must(t, fmt.Sprintf("group g%d networkName=net1 policies=p1", i))
			}
			if got := count(t, m.Store); got != store.rules+groups {
				t.Errorf("want %d records, got %d", store.rules+groups, got)
			}
			m.Must(t, "rule p1:more direction=in action=allow protocol=udp port=53")
			for i := range groups {
				m.Must(t, fmt.Sprintf("group g%d policies=", i))
			}
			if got := count(t, m.Store); got != store.rules+1 {
				t.Errorf("after detaching: want %d records, got %d", store.rules+1, got)
			}
			if _, err := m.Policys().Delete(ctx, "default", "p1"); err != nil {
				t.Fatal(err)
			}
			if list, err := m.Rules().List(ctx); err != nil || len(list) != 0 || count(t, m.Store) != 0 {
				t.Errorf("the rules must go with their policy, got %d and %d records, %v", len(list), count(t, m.Store), err)
			}
			m.Must(t, "policy p1")
		})
	}
}

// Attaching a policy writes one record, however many rules it has: at no time does a group have only some of them.
func TestPOL_14_Order(t *testing.T) {
	db := &narrow{Store: memory.New()}
	m := mastertest.Start(t, mastertest.Options{Store: db})
	m.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "policy p1")
	fillPolicy(t, m, 100)
	m.Must(t, "group g networkName=net1")
	db.taken()
	for _, step := range []struct {
		policies string
		want     store.Op
	}{
		{"p1", store.Op{Key: record.Attachments + "default:g:p1", Value: []byte(`{"id":"default:g:p1"}`)}},
		{"", store.Op{Key: record.Attachments + "default:g:p1", Delete: true}},
	} {
		m.Must(t, "group g policies="+step.policies)
		if all := db.taken(); len(all) != 1 || len(all[0]) != 1 || fmt.Sprint(all[0][0]) != fmt.Sprint(step.want) {
			t.Errorf("policies %q: want only %v, got %v", step.policies, step.want, all)
		}
	}
}

// A large policy is deleted in several transactions, its rules after the policy itself; meanwhile no client can recreate it.
func TestLargePolicyGoes(t *testing.T) {
	db := &narrow{Store: memory.New()}
	m := mastertest.Start(t, mastertest.Options{Store: db})
	m.Must(t, "policy p1")
	fillPolicy(t, m, 100)
	db.taken()
	if _, err := m.Policys().Delete(context.Background(), "default", "p1"); err != nil {
		t.Fatal(err)
	}
	if all := db.taken(); len(all) < 3 || len(slices.Concat(all...)) != 100 {
		t.Errorf("want 100 records removed in several transactions, got %d in %d", len(slices.Concat(all...)), len(all))
	}
}

// A rule changes by one write to its record: agents never have the policy without it.
func TestRuleChangesWithoutGap(t *testing.T) {
	db := &narrow{Store: memory.New()}
	m := mastertest.Start(t, mastertest.Options{Store: db})
	m.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "policy p1", "group g networkName=net1 policies=p1", "rule p1:1 direction=in action=deny protocol=tcp port=80")
	db.taken()
	m.Must(t, "apply rule p1:1 port=8080")
	changes := db.taken()
	if len(changes) != 1 {
		t.Fatalf("want one transaction, got %v", changes)
	}
	records := 0
	for _, op := range changes[0] {
		if op.Delete {
			t.Errorf("want nothing removed, got %+v", op)
		}
		if op.Key == record.Rules+"default:p1:1" {
			records++
		}
	}
	if got := m.AgentRules(t); records != 1 || len(got) != 1 || got[0] != "g/p1:1 in protocol 6 port 8080 deny 1" {
		t.Errorf("want the record written once, got %d times, and %v", records, got)
	}
}
