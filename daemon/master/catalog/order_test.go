// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/daemon/store/storetest"
	"github.com/contiv/contiv/identity"
)

const (
	netKey  = record.Networks + "default:n"
	netText = `{"id":"n.default","tenant":"default","networkName":"n","pktTagType":"vlan","pktTag":7,"subnetIP":"10.1.1.0","subnetLen":28,"ipAddrRange":"10.1.1.0-10.1.1.15"}`
)

// network is the network of netText.
var network = identity.Network{Tenant: "default", Name: "n"}

// named returns the endpoint with a name in network.
func named(name string) identity.Endpoint { return identity.Endpoint{Network: network, Endpoint: name} }

func endpointAt(name, address string) []byte {
	return fmt.Appendf(nil, `{"id":"n.default-%s","netID":"n.default","endpointID":%q,"ipAddress":%q}`, name, name, address)
}

// owned checks that the pool of the network and the owners of its addresses agree with the endpoints.
func owned(c *catalog.Catalog) (wrong string) {
	c.View(func(v *catalog.View) {
		n := v.Network(network)
		if n == nil {
			return
		}
		have := map[netip.Addr]struct{}{}
		for _, e := range v.Endpoints() {
			have[e.IP] = struct{}{}
			if n.Owner(e.IP) == "" {
				wrong = fmt.Sprintf("%s has %s, which has no owner", e.ID, e.IP)
			}
		}
		if inUse(n) != len(have) || n.Allocated() != len(have) {
			wrong = fmt.Sprintf("%d addresses are used, %d are taken and %d have owners", len(have), inUse(n), n.Allocated())
		}
	})
	return wrong
}

// A leader's list is ahead of its watch: earlier changes of the watch have no effect, even for a key that the leader has never seen. The
// address of that key's endpoint already belongs to another endpoint, and continues to.
func TestWatchBehindList(t *testing.T) {
	c, db := catalog.New(), memory.New()
	commit := func(build func(tx *store.Tx)) store.Revision {
		t.Helper()
		var tx store.Tx
		build(&tx)
		rev, err := db.Commit(t.Context(), &tx)
		if err != nil {
			t.Fatal(err)
		}
		return rev
	}
	commit(func(tx *store.Tx) { tx.Put(netKey, []byte(netText)) })
	k, e2 := record.Endpoints+"default:n:k", record.Endpoints+"default:n:e2"
	put := commit(func(tx *store.Tx) { tx.Put(k, endpointAt("k", "10.1.1.3")) })
	gone := commit(func(tx *store.Tx) { tx.Delete(k) })
	commit(func(tx *store.Tx) { tx.Put(e2, endpointAt("e2", "10.1.1.3")) })
	if err := c.Load(t.Context(), db, quiet); err != nil {
		t.Fatal(err)
	}
	late := []store.Update{
		{Items: []store.Item{{Key: k, Value: endpointAt("k", "10.1.1.3"), Revision: put}}, Revision: put},
		{Gone: []string{k}, Revision: gone},
	}
	for _, u := range late {
		c.Apply(u, quiet)
		c.View(func(v *catalog.View) {
			a := netip.MustParseAddr("10.1.1.3")
			if v.Endpoint(named("k")) != nil || v.Network(network).Owner(a) != "endpoint default:n:e2" {
				t.Errorf("after %+v: want only e2, got %v, and %q has the address", u, v.Endpoints(), v.Network(network).Owner(a))
			}
			if err := v.Network(network).Check(identity.Group{}, a); err == nil {
				t.Errorf("after %+v: the address of e2 is given again", u)
			}
		})
	}
}

// The leader's own commit is ahead of its watch: the watch still reports the earlier changes of others, and they take effect.
func TestCommitAheadOfWatch(t *testing.T) {
	c := catalog.New()
	c.Apply(store.Update{Full: true, Items: []store.Item{{Key: netKey, Value: []byte(netText), Revision: 2}}, Revision: 2}, quiet)
	c.Committed(nil, []store.Op{{Key: record.Endpoints + "default:n:a", Value: endpointAt("a", "10.1.1.1")}}, 5, quiet)
	c.Apply(store.Update{Items: []store.Item{{Key: record.Endpoints + "default:n:b", Value: endpointAt("b", "10.1.1.2"), Revision: 4}}, Revision: 4}, quiet)
	// The watch may also be faster: it reports a commit, and the deletion of what was committed.
	c.Apply(store.Update{Gone: []string{record.Endpoints + "default:n:c"}, Revision: 9}, quiet)
	c.Committed(nil, []store.Op{{Key: record.Endpoints + "default:n:c", Value: endpointAt("c", "10.1.1.3")}}, 8, quiet)
	c.View(func(v *catalog.View) {
		if v.Endpoint(named("a")) == nil || v.Endpoint(named("b")) == nil || v.Endpoint(named("c")) != nil {
			t.Errorf("want a and b, got %v", v.Endpoints())
		}
	})
	if wrong := owned(c); wrong != "" {
		t.Error(wrong)
	}
}

// A store that was restored from a backup with raised revisions has older values than the catalog.
func TestRestoredWithRaisedRevisions(t *testing.T) {
	c := catalog.New()
	full := func(rev store.Revision, items ...store.Item) {
		items = append(items, store.Item{Key: netKey, Value: []byte(netText), Revision: 2})
		c.Apply(store.Update{Full: true, Items: items, Revision: rev}, quiet)
	}
	a, b := record.Endpoints+"default:n:a", record.Endpoints+"default:n:b"
	full(3, store.Item{Key: a, Value: endpointAt("a", "10.1.1.1"), Revision: 3})
	c.Apply(store.Update{Revision: 9, Items: []store.Item{
		{Key: a, Value: endpointAt("a", "10.1.1.5"), Revision: 8}, {Key: b, Value: endpointAt("b", "10.1.1.6"), Revision: 9},
	}}, quiet)
	full(1_000_003, store.Item{Key: a, Value: endpointAt("a", "10.1.1.1"), Revision: 3})
	c.View(func(v *catalog.View) {
		if e := v.Endpoint(named("a")); e == nil || e.IP != netip.MustParseAddr("10.1.1.1") || v.Endpoint(named("b")) != nil {
			t.Errorf("want only a at 10.1.1.1, got %v", v.Endpoints())
		}
	})
	if wrong := owned(c); wrong != "" {
		t.Error(wrong)
	}
}

// A leader learns of changes in any order: from its watch, which lags, merges and repeats changes, from lists at the start of terms, from
// its own commits before or after the watch, and from a store that is restored meanwhile. In the end its catalog equals a list of the
// store, and at no time does it regard the address of an endpoint as free.
func TestOrders(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := &leader{rt, catalog.New()}
		h := storetest.NewHistory(rt, l, []store.Item{{Key: netKey, Value: []byte(netText), Revision: 2}}, func(now map[string]store.Item) store.Op { return change(rt, now) })
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			h.Step()
			if wrong := given(l.c); wrong != "" {
				rt.Fatal(wrong)
			}
		}
		h.End()
		fresh := &leader{rt, catalog.New()}
		fresh.Listed(h.Items())
		if got, want := describe(l.c), describe(fresh.c); got != want || owned(l.c) != "" {
			rt.Fatalf("a new master would know\n%s\nthe running one knows\n%s\n%s", want, got, owned(l.c))
		}
	})
}

// change changes one endpoint. A new one gets an address that no other endpoint in the store has, as leaders ensure.
func change(rt *rapid.T, now map[string]store.Item) store.Op {
	id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "endpoint")
	key := record.Endpoints + named(id).String()
	if _, ok := now[key]; ok && rapid.Bool().Draw(rt, "delete") {
		return store.Op{Key: key, Delete: true}
	}
	var free []string
	for i := range 8 {
		a := fmt.Sprintf("10.1.1.%d", i+1)
		taken := false
		for other, it := range now {
			taken = taken || other != key && string(it.Value) == string(endpointAt(strings.TrimPrefix(other, record.Endpoints+network.String()+":"), a))
		}
		if !taken {
			free = append(free, a)
		}
	}
	return store.Op{Key: key, Value: endpointAt(id, rapid.SampledFrom(free).Draw(rt, "address"))}
}

// leader is a catalog that receives the history of a store.
type leader struct {
	*rapid.T
	c *catalog.Catalog
}

func (l *leader) Watched(u store.Update) {
	if err := l.c.Apply(u, quiet); err != nil {
		l.Fatal(err)
	}
}

func (l *leader) Committed(ops []store.Op, rev store.Revision) { l.c.Committed(nil, ops, rev, quiet) }

func (l *leader) Listed(items []store.Item, rev store.Revision) {
	if err := l.c.Load(context.Background(), list{items, rev}, quiet); err != nil {
		l.Fatal(err)
	}
}

// list is the content of a store as Load reads it.
type list struct {
	items    []store.Item
	revision store.Revision
}

func (l list) List(context.Context, string) ([]store.Item, store.Revision, error) {
	return l.items, l.revision, nil
}

// given checks that the address of no endpoint that the leader knows is free.
func given(c *catalog.Catalog) (wrong string) {
	c.View(func(v *catalog.View) {
		n := v.Network(network)
		for _, e := range v.Endpoints() {
			if err := n.Check(identity.Group{}, e.IP); err == nil {
				wrong = fmt.Sprintf("%s is free, and %s has it", e.IP, e.ID)
			}
		}
	})
	return wrong
}
