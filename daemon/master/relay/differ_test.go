// SPDX-License-Identifier: Apache-2.0

package relay_test

import (
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// A shard whose contents differ in an agent - a value, a missing or extra record, a missing or extra shard - is sent again, that shard and
// no other, and reported until a minute after the difference ends.
func TestDiffers(t *testing.T) {
	blue := channel.Tenant("blue")
	for _, row := range []struct {
		name  string
		spoil func(h *agent)
		shard channel.Shard
		fulls int
	}{
		{"another value", func(h *agent) { h.have[blue][record.Endpoints+"blue:net:b1"] += " " }, blue, 1},
		{"a record too many", func(h *agent) { h.have[blue][record.Endpoints+"blue:net:b9"] = "{}" }, blue, 1},
		{"a record too few", func(h *agent) { delete(h.have[blue], record.Endpoints+"blue:net:b1") }, blue, 1},
		{"the values of two records, exchanged", func(h *agent) {
			one, two := record.Endpoints+"blue:net:b1", record.Endpoints+"blue:net:b2"
			h.have[blue][one], h.have[blue][two] = h.have[blue][two], h.have[blue][one]
		}, blue, 1},
		{"a shard that it lacks", func(h *agent) { delete(h.have, blue) }, blue, 1},
		{"a shard that it is not to have", func(h *agent) { h.have["tenant/red"] = map[string]string{"k": "v"} }, "tenant/red", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newLateMaster(t)
				m.resends = true
				m.apply(store.Update{Full: true, Revision: 10, Items: []store.Item{at("blue", "b1", "h1", 3), at("blue", "b2", "h2", 4), item(record.Networks+"red:net", "{}", 5), landmark("one", 9)}})
				m.relay.Sync()
				h := newAgent(t, "h1").follow(m)
				want, fulls := fmt.Sprint(h.have), h.fulls
				row.spoil(h)
				h.report()
				if got := fmt.Sprint(h.have); got == want {
					t.Fatal("want it spoilt")
				}
				found := m.relay.Sessions()[0].Differed
				if len(found) != 1 || found[0].Shard != row.shard || found[0].Times != 1 || !found[0].Still {
					t.Errorf("want %s reported, got %+v", row.shard, found)
				}
				h.next()
				if got := fmt.Sprint(h.have); got != want || h.fulls != fulls+row.fulls || m.relay.Resent() != 1 {
					t.Errorf("want %s and %d shards sent again, got %s and %d, %d", want, row.fulls, got, h.fulls-fulls, m.relay.Resent())
				}
				if found := m.relay.Sessions()[0].Differed; len(found) != 1 || found[0].Still {
					t.Errorf("it holds the same: want that reported, got %+v", found)
				}
				time.Sleep(time.Minute)
				h.report()
				if found := m.relay.Sessions()[0].Differed; len(found) != 0 {
					t.Errorf("after a minute: want it over, got %+v", found)
				}
			})
		})
	}
}

// An agent's report of its state before a change, or before a shard was sent again, does not count as current; and a shard that keeps
// differing is sent at increasing intervals.
func TestDiffersLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newLateMaster(t)
		m.resends = true
		m.apply(store.Update{Full: true, Revision: 10, Items: []store.Item{at("blue", "b1", "h1", 3), landmark("one", 9)}})
		m.relay.Sync()
		h := newAgent(t, "h1").follow(m)
		m.apply(store.Update{Revision: 12, Items: []store.Item{at("blue", "b2", "h2", 12)}})
		m.relay.Sync()
		h.report() // of before the change, which is in the log
		if n := m.relay.Resent(); n != 0 {
			t.Errorf("a report of before a change: want nothing sent again, got %d", n)
		}
		h.next()
		key := record.Endpoints + "blue:net:b1"
		spoil := func() {
			h.have[channel.Tenant("blue")][key] = "spoilt"
			h.report()
		}
		spoil()
		h.report()
		if n := m.relay.Resent(); n != 1 {
			t.Errorf("one that was sent already: want it sent once, got %d", n)
		}
		began := time.Now()
		for time.Since(began) < 10*time.Minute {
			h.next() // with each heartbeat
			spoil()
		}
		if n := m.relay.Resent(); n < 5 || n > 8 {
			t.Errorf("ten minutes of differences: want it sent after 5, 10, 20 seconds and so on, got %d times", n)
		}
		if d := m.relay.Sessions()[0].Differed; len(d) != 1 || !d[0].Still || d[0].Times < 5 {
			t.Errorf("want it reported, got %+v", d)
		}
	})
}

// A report of an earlier build's agent, of an unknown step or of an old step is not compared.
func TestNotCompared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newLateMaster(t)
		m.apply(store.Update{Full: true, Revision: 10, Items: []store.Item{at("blue", "b1", "h1", 3), landmark("one", 9)}})
		m.relay.Sync()
		h := newAgent(t, "h1").follow(m)
		step, wrong := h.mark.Step, map[channel.Shard]channel.Digest{channel.Tenant("blue"): 1}
		h.from.Report(channel.Report{Revision: 10})
		h.from.Report(channel.Report{Revision: 10, Step: step + 100, Digests: wrong})
		for rev := uint64(11); rev < 15; rev++ {
			time.Sleep(time.Minute)
			m.apply(store.Update{Revision: store.Revision(rev), Items: []store.Item{at("blue", "b1", "h1", rev)}})
			m.relay.Sync()
		}
		h.from.Report(channel.Report{Revision: 10, Step: step, Digests: wrong})
	})
}

// BenchmarkCompare compares what an agent holds of fifty shards, none of which has changed, after a step.
func BenchmarkCompare(b *testing.B) {
	known := catalog.New()
	r := relay.New(known, "", func() string { return "" }, slog.New(slog.DiscardHandler))
	all := store.Update{Full: true, Revision: 1}
	for i := range 5000 {
		all.Items = append(all.Items, at(fmt.Sprintf("t%d", i%50), fmt.Sprint("e", i), "h1", 1))
	}
	if err := known.Apply(all, slog.New(slog.DiscardHandler)); err != nil {
		b.Fatal(err)
	}
	r.Sync()
	s, err := r.Open(b.Context(), channel.Hello{Host: "h1"})
	if err != nil {
		b.Fatal(err)
	}
	s.Next(b.Context())
	digests := map[channel.Shard]channel.Digest{}
	for i := range 50 {
		var sum channel.Digest
		for n := i; n < 5000; n += 50 {
			e := at(fmt.Sprintf("t%d", i), fmt.Sprint("e", n), "h1", 1)
			sum.Add(e.Key, e.Value)
		}
		digests[channel.Tenant(fmt.Sprint("t", i))] = sum
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Report(channel.Report{Revision: 1, Step: 51, Digests: digests})
	}
	if n := r.Resent(); n != 0 {
		b.Fatalf("want nothing sent again, got %d", n)
	}
}
