// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// asBefore makes the records in a store what the build before wrote: in place of those of this build, an attachment for each group and,
// for each rule of its policies, what agents were to do and what the answers look like.
func asBefore(t *testing.T, db store.Store, groups map[string]int, rules int) {
	t.Helper()
	ctx, tx := context.Background(), &store.Tx{}
	commit := func(most int) {
		if len(tx.Ops()) < most {
			return
		}
		if _, err := db.Commit(ctx, tx); err != nil {
			t.Fatal(err)
		}
		tx = &store.Tx{}
	}
	for _, prefix := range []string{record.Rules, record.Attachments} {
		items, _, err := db.List(ctx, prefix)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			tx.Delete(it.Key)
			commit(100)
		}
	}
	for group, number := range groups {
		id := "default:" + group + ":default:p1"
		tx.Put(record.LegacyAttachments+id, fmt.Appendf(nil, `{"id":%q,"EpgPolicyKey":%q,"EndpointGroupID":%d}`, id, id, number))
		for i := range rules {
			action := "allow"
			if i%5 == 0 {
				action = "deny"
			}
			rule := fmt.Sprintf("%s:default:p1:%d", id, i)
			tx.Put(record.LegacyRules+rule+":inRx", fmt.Appendf(nil, `{"id":"%s:inRx","RuleId":"%s:inRx","Priority":1,"SrcEndpointGroup":0,"DstEndpointGroup":%d,`+
				`"SrcIpAddr":"","DstIpAddr":"","IpProtocol":6,"SrcPort":0,"DstPort":%d,"TcpFlags":"","Action":%q}`, rule, rule, number, i+1, action))
			tx.Put(record.LegacyRules+rule+":inTx", fmt.Appendf(nil, `{"id":"%s:inTx","RuleId":"%s:inTx","Priority":1,"SrcEndpointGroup":%d,"DstEndpointGroup":0,`+
				`"SrcIpAddr":"","DstIpAddr":"","IpProtocol":6,"SrcPort":%d,"DstPort":0,"TcpFlags":"","Action":%q}`, rule, rule, number, i+1, action))
			commit(100)
		}
	}
	commit(0)
}

// A leader that begins over the store of an earlier build writes the records of this build first, what denies before what allows, then who
// has them, and removes the others last; when its first request is answered, all is done. The next leader finds nothing to do.
func TestConvergesFromOlderBuild(t *testing.T) {
	const rules = 100
	before := memory.New()
	m := mastertest.Start(t, mastertest.Options{Store: before})
	m.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "policy p1", "group g networkName=net1 policies=p1", "group h networkName=net1 policies=p1")
	fillPolicy(t, m, rules)
	whole := m.AgentRules(t)
	m.Stop()
	asBefore(t, before, map[string]int{"g": 1, "h": 2}, rules)
	if n := count(t, before); n != 2+2*2*rules {
		t.Fatalf("the store of the earlier build has %d records", n)
	}

	db := &narrow{Store: before}
	m = mastertest.Start(t, mastertest.Options{Store: db})
	if got := m.AgentRules(t); !slices.Equal(got, whole) || len(whole) != 2*rules {
		t.Errorf("want the %d rules of before, got %d", len(whole), len(got))
	}
	if n := count(t, db); n != rules+2 {
		t.Errorf("want %d records, got %d", rules+2, n)
	}
	var order []string
	changes := db.taken()
	for _, ops := range changes {
		for _, op := range ops {
			order = append(order, kindOf(op))
		}
	}
	want := []string{"put deny", "put allow", "attach", "remove legacy rule", "remove legacy attachment"}
	if got := slices.Compact(order); !slices.Equal(got, want) || len(changes) < 5 {
		t.Errorf("want %v in several transactions, got %v in %d", want, got, len(changes))
	}
	m.Stop()
	mastertest.Start(t, mastertest.Options{Store: db})
	if again := db.taken(); len(again) != 0 {
		t.Errorf("the next leader: want nothing done, got %v", again)
	}
}

func kindOf(op store.Op) string {
	var r struct{ Action string }
	switch {
	case strings.HasPrefix(op.Key, record.LegacyRules) && op.Delete:
		return "remove legacy rule"
	case strings.HasPrefix(op.Key, record.LegacyAttachments) && op.Delete:
		return "remove legacy attachment"
	case strings.HasPrefix(op.Key, record.Attachments) && !op.Delete:
		return "attach"
	case strings.HasPrefix(op.Key, record.Rules) && json.Unmarshal(op.Value, &r) == nil:
		return "put " + r.Action
	}
	return op.Key
}

// A new leader puts right what the old one, or one of an earlier build, has left half way: records that are missing, changed or of nothing,
// and rules of a policy that is gone.
func TestPOL_14_NewLeader(t *testing.T) {
	ctx := context.Background()
	db := memory.New()
	first := mastertest.Start(t, mastertest.Options{Store: db})
	first.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "policy p1")
	fillPolicy(t, first, 60)
	first.Must(t, "policy large", "group g networkName=net1 policies=p1,large")
	whole := first.AgentRules(t)
	first.Stop()

	half := &store.Tx{}
	for i := range 30 {
		half.Delete(fmt.Sprint(record.Rules, "default:p1:", i))
	}
	put := func(key string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		half.Put(key, text)
	}
	half.Put(record.Rules+"default:p1:40", []byte(`{"id":"default:p1:40","direction":"out"}`))
	half.Put(record.Rules+"default:p1:gone", []byte(`{"id":"default:p1:gone","action":"allow"}`))
	half.Put(record.Attachments+"default:gone:p1", []byte(`{"id":"default:gone:p1"}`))
	put(record.Objects+"rule/default:lost:1", &model.Rule{TenantName: "default", PolicyName: "lost", RuleId: "1", Direction: "in", Action: "deny"})
	// As builds before this one let them in.
	for action, name := range map[string]string{"deny": "wide", "allow": "nothing"} {
		put(record.Objects+"rule/default:large:"+name, &model.Rule{TenantName: "default", PolicyName: "large", RuleId: name, Direction: "in", Priority: 1,
			FromIpAddress: "10.1.1.9-3", Action: action})
	}
	if _, err := db.Commit(ctx, half); err != nil {
		t.Fatal(err)
	}

	second := mastertest.Start(t, mastertest.Options{Store: db})
	if got, want := second.AgentRules(t), slices.Concat([]string{"g/large:wide in deny 1"}, whole); !slices.Equal(got, want) {
		t.Errorf("want %s\ngot  %s", strings.Join(want, "\n     "), strings.Join(got, "\n     "))
	}
	if _, err := second.Rules().Get(ctx, "default", "lost", "1"); err == nil {
		t.Error("a rule whose policy is gone must go too")
	}
}
