// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// put is the operation that writes an endpoint of the network with an address.
func put(name, address string) store.Op {
	return store.Op{Key: record.Endpoints + "default:n:" + name, Value: endpointAt(name, address)}
}

// A draft is committed. Regardless of concurrent changes, the state equals that of a new master, and another draft begins there.
func TestDraftCommitted(t *testing.T) {
	for _, test := range []struct {
		name   string
		beside func(c *catalog.Catalog, rev store.Revision) // between the draft and the answer of the store
	}{
		{"nothing", func(*catalog.Catalog, store.Revision) {}},
		{"the change of another", func(c *catalog.Catalog, rev store.Revision) {
			o := put("other", "10.1.1.9")
			_ = c.Apply(store.Update{Items: []store.Item{{Key: o.Key, Value: o.Value, Revision: rev - 1}}, Revision: rev - 1}, quiet)
		}},
		{"the watch, which was faster, with what followed", func(c *catalog.Catalog, rev store.Revision) {
			o := put("b", "10.1.1.3")
			_ = c.Apply(store.Update{Items: []store.Item{{Key: o.Key, Value: o.Value, Revision: rev + 1}}, Gone: []string{put("a", "").Key}, Revision: rev + 1}, quiet)
		}},
	} {
		c := catalog.New()
		first := []store.Item{{Key: netKey, Value: []byte(netText), Revision: 2}, {Key: put("a", "").Key, Value: put("a", "10.1.1.1").Value, Revision: 3}}
		if err := c.Apply(store.Update{Full: true, Items: first, Revision: 3}, quiet); err != nil {
			t.Fatal(err)
		}
		dropped, d := c.Draft(), c.Draft()
		dropped.Apply(put("dropped", "10.1.1.7"))
		ops := []store.Op{{Key: put("a", "").Key, Delete: true}, put("b", "10.1.1.1"), {Key: record.Endpoints + "default:n:bad", Value: []byte("{")}}
		if test.name == "nothing" {
			ops = ops[:2] // malformed values are applied like those of the watch
		}
		for _, op := range ops {
			d.Apply(op)
		}
		test.beside(c, 9)
		c.Committed(d, ops, 9, quiet)
		fresh := catalog.New()
		c.View(func(v *catalog.View) {
			u := store.Update{Full: true, Revision: v.Revision()}
			for key, value := range v.Values() {
				u.Items = append(u.Items, store.Item{Key: key, Value: value, Revision: v.KeyRevision(key)})
			}
			_ = fresh.Apply(u, quiet)
			if v.Endpoint(named("b")) == nil || v.Endpoint(named("a")) != nil || v.Endpoint(named("dropped")) != nil || v.KeyRevision(put("b", "").Key) < 9 {
				t.Errorf("%s: want b in the place of a, got %v", test.name, v.Endpoints())
			}
		})
		if got, want := describe(c), describe(fresh); got != want || owned(c) != "" {
			t.Errorf("%s: a new master would know\n%s\nthe running one knows\n%s\n%s", test.name, want, got, owned(c))
		}
		if next := c.Draft(); next.Endpoint(named("b")) == nil {
			t.Errorf("%s: the next draft knows nothing of it", test.name)
		}
	}
}

// Requests work on drafts while others read, and while the watch reports changes.
func TestDraftBesideReaders(t *testing.T) {
	c := catalog.New()
	if err := c.Apply(store.Update{Full: true, Items: []store.Item{{Key: netKey, Value: []byte(netText), Revision: 2}}, Revision: 2}, quiet); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wait.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if wrong := owned(c); wrong != "" {
					t.Error(wrong)
				}
			}
		})
	}
	for i := range 200 {
		rev := store.Revision(3 + 2*i)
		d, op := c.Draft(), put(fmt.Sprint("e", i%12), fmt.Sprint("10.1.1.", 1+i%12))
		op.Delete = i/12%2 == 1
		d.Apply(op)
		if i%3 == 0 {
			o := store.Item{Key: record.Tenants + "t", Value: fmt.Appendf(nil, `{"id":"t","tenant":"t","vrf":%d}`, 1+i%5), Revision: rev - 1}
			if err := c.Apply(store.Update{Items: []store.Item{o}, Revision: rev - 1}, quiet); err != nil {
				t.Error(err)
			}
		}
		if i%7 != 0 {
			c.Committed(d, []store.Op{op}, rev, quiet)
		}
	}
	close(done)
	wait.Wait()
}

// BenchmarkDraft makes a draft of 50,000 endpoints, puts one more into it and drops it.
func BenchmarkDraft(b *testing.B) {
	c := catalog.New()
	u := store.Update{Full: true, Revision: 3, Items: []store.Item{{Key: netKey, Value: []byte(netText), Revision: 2}}}
	for i := range 50_000 {
		name := fmt.Sprint("e", i)
		u.Items = append(u.Items, store.Item{Key: put(name, "").Key, Value: endpointAt(name, fmt.Sprintf("10.2.%d.%d", i>>8, i&255)), Revision: 3})
	}
	if err := c.Apply(u, quiet); err != nil {
		b.Fatal(err)
	}
	op := put("more", "10.1.1.1")
	b.ReportAllocs()
	for b.Loop() {
		c.Draft().Apply(op)
	}
}
