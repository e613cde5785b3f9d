package derive_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// picky is a narrow store that does not take one record of a rule.
type picky struct {
	narrow
	refuses atomic.Pointer[string] // a part of its key
}

func (p *picky) Commit(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	for _, op := range tx.Ops() {
		if part := p.refuses.Load(); part != nil && !op.Delete && strings.HasPrefix(op.Key, record.PolicyRules) && strings.Contains(op.Key, *part) {
			return 0, fmt.Errorf("%s: %w", op.Key, store.ErrTooLarge)
		}
	}
	return p.narrow.Commit(ctx, tx)
}

// A record that cannot be written holds up the records of its group alone: changes of others are carried out, that of the group is
// answered with what is wrong, and the node says so. When the store takes the record after all, it is written.
func TestOneStepThatFails(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	db := &picky{narrow: narrow{Store: memory.New()}}
	m := mastertest.Start(t, mastertest.Options{Store: db})
	m.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "policy p1")
	const rules = 100
	fillPolicy(t, m, rules)
	bad := ":g1:default:p1:default:p1:77:"
	db.refuses.Store(&bad)
	_, err := m.Do("group g1 networkName=net1 policies=p1")
	if err == nil || !strings.Contains(err.Error(), "rules of endpointGroup default:g1 cannot be written") {
		t.Errorf("the group whose record cannot be written: got %v", err)
	}
	if _, err := m.Do("group g2 networkName=net1 policies=p1"); err != nil {
		t.Errorf("another group: %v", err)
	}
	of := func(group string) int {
		items, _, err := db.List(ctx, record.PolicyRules)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, it := range items {
			if strings.Contains(it.Key, ":"+group+":") {
				n++
			}
		}
		return n
	}
	if n := of("g2"); n != 2*rules {
		t.Errorf("another group: want %d records, got %d", 2*rules, n)
	}
	var self model.Node
	if err := m.Raw(ctx, "/api/v1/nodes/self", &self); err != nil || self.Errors != 1 || !strings.Contains(self.Reason, "endpointGroup default:g1") {
		t.Errorf("the node must say what is wrong, got %+v, %v", self, err)
	}
	db.refuses.Store(nil)
	for of("g1") != 2*rules {
		if ctx.Err() != nil {
			t.Fatalf("once the store takes it: want %d records of the group, got %d", 2*rules, of("g1"))
		}
	}
	for m.Settler.Pending() != 0 || len(m.Settler.Stuck()) != 0 {
		if ctx.Err() != nil {
			t.Fatalf("nothing is stuck any more: got %v", m.Settler.Stuck())
		}
	}
}
