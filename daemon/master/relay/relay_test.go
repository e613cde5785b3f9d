// SPDX-License-Identifier: Apache-2.0

package relay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// master is a netmaster's relay to agents. Its records are those that the test applies in place of a watch.
type master struct {
	t       *testing.T
	catalog *catalog.Catalog
	relay   *relay.Relay
	store   string      // id of its incarnation
	away    atomic.Bool // its store
	resends bool        // a test has agents hold what they were not sent
}

func newMaster(t *testing.T) *master { return newMasterOf(t, "") }

// newMasterOf returns a netmaster of an incarnation of the store.
func newMasterOf(t *testing.T, store string) *master {
	m := newLateMasterOf(t, store)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.relay.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return m
}

// newLateMaster returns a netmaster that handles updates only when the test calls for it.
func newLateMaster(t *testing.T) *master { return newLateMasterOf(t, "") }

func newLateMasterOf(t *testing.T, store string) *master {
	m := &master{t: t, catalog: catalog.New(), store: store}
	m.relay = relay.New(m.catalog, m.store, func() string {
		if m.away.Load() {
			return "the store"
		}
		return ""
	}, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		if n := m.relay.Resent(); n > 0 && !m.resends {
			t.Errorf("agents hold what they were sent: want nothing sent again, got %d shards", n)
		}
	})
	return m
}

// apply passes an update to the netmaster.
func (m *master) apply(u store.Update) {
	m.t.Helper()
	if err := m.catalog.Apply(u, slog.New(slog.DiscardHandler)); err != nil {
		m.t.Fatal(err)
	}
}

// agent has the records that a host has received.
type agent struct {
	t     *testing.T
	host  string
	from  *relay.Stream
	have  map[channel.Shard]map[string]string
	mark  channel.Mark
	fulls int
	bytes int
}

func newAgent(t *testing.T, host string) *agent {
	return &agent{t: t, host: host, have: map[channel.Shard]map[string]string{}}
}

// follow starts to follow a netmaster from the agent's position.
func (a *agent) follow(m *master) *agent {
	a.t.Helper()
	if a.from != nil {
		a.from.Close()
	}
	from, err := m.relay.Open(a.t.Context(), channel.Hello{Host: a.host, Shards: slices.Sorted(maps.Keys(a.have)), Mark: a.mark})
	if err != nil {
		a.t.Fatal(err)
	}
	a.from = from
	a.next()
	return a
}

// next applies the next batch.
func (a *agent) next() {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), 10*time.Second)
	defer cancel()
	stream := bytes.Join(a.from.Next(ctx), nil)
	b, err := channel.NewReader(bytes.NewReader(stream)).Read()
	if err != nil {
		a.t.Fatalf("%s: %v", a.host, err)
	}
	if b.Reset {
		clear(a.have)
	}
	for _, u := range b.Updates {
		a.bytes += len(u.Items) + len(u.Gone)
		if u.Full || a.have[u.Shard] == nil {
			if !u.Full {
				a.t.Fatalf("%s: a change of %s came before what it had", a.host, u.Shard)
			}
			a.fulls++
			a.have[u.Shard] = map[string]string{}
		}
		for _, key := range u.Gone {
			delete(a.have[u.Shard], key)
		}
		for _, i := range u.Items {
			a.have[u.Shard][i.Key] = string(i.Value)
		}
	}
	for _, name := range b.Left {
		delete(a.have, name)
	}
	a.mark = b.Mark
	a.report()
}

// report sends the checksums of the agent's records.
func (a *agent) report() {
	if a.mark.Complete != a.mark.Revision {
		return
	}
	digests := map[channel.Shard]channel.Digest{}
	for name, have := range a.have {
		var sum channel.Digest
		for key, value := range have {
			sum.Add(key, []byte(value))
		}
		if len(have) > 0 {
			digests[name] = sum
		}
	}
	a.from.Report(channel.Report{Revision: a.mark.Revision, Step: a.mark.Step, Digests: digests})
}

// until applies batches up to a revision.
func (a *agent) until(rev uint64) *agent {
	a.t.Helper()
	for a.mark.Revision < rev {
		a.next()
	}
	return a
}

// keys are the ends of the keys of a shard.
func (a *agent) keys(name channel.Shard) string {
	var out []string
	for key := range a.have[name] {
		out = append(out, key[strings.LastIndexByte(key, '/')+1:])
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func (a *agent) want(what string, name channel.Shard, keys string) {
	a.t.Helper()
	if got := a.keys(name); got != keys {
		a.t.Errorf("%s: %s of %s: want %q, got %q", what, name, a.host, keys, got)
	}
}

func item(key, value string, rev uint64) store.Item {
	return store.Item{Key: key, Value: []byte(value), Revision: store.Revision(rev)}
}

// at is an endpoint of a tenant on a host.
func at(tenant, name, host string, rev uint64) store.Item {
	return item(record.Endpoints+tenant+":net:"+name, fmt.Sprintf(`{"tenant":%q,"netID":"net.%s","endpointID":%q,"homingHost":%q,"macAddress":"02:02:00:00:00:01"}`, tenant, tenant, name, host), rev)
}

func landmark(text string, rev uint64) store.Item { return item(record.Landmark, text, rev) }

// A host receives its tenants, the cluster, and nothing else; a tenant arrives complete with its first endpoint.
func TestScope(t *testing.T) {
	m := newMaster(t)
	m.apply(store.Update{Full: true, Revision: 10, Items: []store.Item{at("blue", "b1", "h1", 3), at("red", "r1", "h2", 4), item(record.Networks+"blue:net", `{"tenant":"blue","networkName":"net","nwType":"data","pktTagType":"vlan","pktTag":5}`, 2),
		item(record.Networks+"red:hosts", `{"tenant":"red","networkName":"hosts","nwType":"infra","pktTagType":"vlan","pktTag":6}`, 2), item(record.Services+"netmaster/192.0.2.1:9999", `{}`, 5),
		item(record.BGPs+"h1", `{}`, 6), item(record.Objects+"tenant/blue", `{}`, 1), item(record.Networks+"default:net", `{"tenant":"default","networkName":"net","nwType":"data","pktTagType":"vlan","pktTag":7}`, 7)}})
	h1, h2, h3 := newAgent(t, "h1").follow(m), newAgent(t, "h2").follow(m), newAgent(t, "h3").follow(m)
	h1.want("its tenant", channel.Tenant("blue"), "blue:net blue:net:b1")
	h1.want("another tenant", channel.Tenant("red"), "")
	h1.want("the cluster, with networks of hosts", channel.Cluster, "192.0.2.1:9999 red:hosts")
	h1.want("its routing", channel.Host("h1"), "h1")
	h1.want("what its router announces", channel.Tenant("default"), "default:net")
	h2.want("its tenant", channel.Tenant("red"), "red:hosts red:net:r1")
	h3.want("no tenant", channel.Tenant("blue"), "")

	told := h3.bytes
	m.apply(store.Update{Revision: 11, Items: []store.Item{at("blue", "b2", "h3", 11)}})
	h1.until(11).want("an endpoint more", channel.Tenant("blue"), "blue:net blue:net:b1 blue:net:b2")
	h3.until(11).want("the tenant as a whole", channel.Tenant("blue"), "blue:net blue:net:b1 blue:net:b2")
	if h3.bytes != told+3 {
		t.Errorf("sent to h3: want 3 records, got %d", h3.bytes-told)
	}
	told = h2.bytes
	if h2.until(11); h2.bytes != told {
		t.Errorf("what does not concern h2: want nothing, got %d records", h2.bytes-told)
	}
	m.apply(store.Update{Revision: 12, Gone: []string{record.Endpoints + "blue:net:b1"}})
	h1.until(12).want("a tenant that is still sent for a while", channel.Tenant("blue"), "blue:net blue:net:b2")
	for host, want := range map[string]uint64{"h1": 11, "h2": 10, "h3": 12, "h9": 10} {
		if host == "h1" {
			want = 10 // it has nothing of blue any more
		}
		if got := m.relay.Wanted(host); got != want {
			t.Errorf("what %s is to carry out: want revision %d, got %d", host, want, got)
		}
	}
}

// Every host receives the revoked certificates of daemons that it speaks with, nothing else about them, and until they are removed.
func TestRevoked(t *testing.T) {
	m := newMaster(t)
	certificate := func(serial, who, revoked string, rev uint64) store.Item {
		return item(record.Certificates+serial, fmt.Sprintf(`{"serial":%q,"identity":"spiffe://contiv/%s","by":"ann","token":"t1","issued":"2026-03-01T09:00:00Z","until":"2026-03-15T09:00:00Z"%s}`, serial, who, revoked), rev)
	}
	const since = `,"revoked":"2026-03-02T09:00:00Z","revokedBy":"ann"`
	m.apply(store.Update{Full: true, Revision: 10, Items: []store.Item{certificate("01", "master/h1", since, 2), certificate("02", "master/h2", "", 3), certificate("03", "agent/h3", since, 4),
		certificate("04", "monitor/probe", since, 5), certificate("05", "user/ann", since, 6), item(record.JoinTokens+"t1", `{"id":"t1"}`, 1), item(record.Certificates+"06", `{`, 7)}})
	h1 := newAgent(t, "h1").follow(m)
	h1.want("what is revoked", channel.Trust, "01 04")
	if got, want := h1.have[channel.Trust][record.Certificates+"01"], `{"serial":"01","identity":"spiffe://contiv/master/h1","until":"2026-03-15T09:00:00Z"}`; got != want {
		t.Errorf("record sent: want %s, got %s", want, got)
	}
	m.apply(store.Update{Revision: 11, Items: []store.Item{certificate("02", "master/h2", since, 11)}})
	h1.until(11).want("one more", channel.Trust, "01 02 04")
	m.apply(store.Update{Revision: 12, Gone: []string{record.Certificates + "01"}})
	h1.until(12).want("one that has ended", channel.Trust, "02 04")

	other := newMaster(t) // which knows only what is there now
	other.apply(store.Update{Full: true, Revision: 12, Items: []store.Item{certificate("02", "master/h2", since, 11), certificate("04", "monitor/probe", since, 5), landmark("a", 1)}})
	earlier := newAgent(t, "h2").follow(other)
	delete(earlier.have, channel.Trust) // like an agent of netmasters of an earlier build
	earlier.follow(other).want("all of it, to an agent that knows the rest", channel.Trust, "02 04")
	var listed []record.Revocation
	m.catalog.View(func(v *catalog.View) { listed = relay.Revoked(v) })
	if len(listed) != 2 || listed[0].Serial != "02" || listed[1].Identity != "spiffe://contiv/monitor/probe" {
		t.Errorf("as a list: want 02 and 04, got %v", listed)
	}
}

// If hosts access all containers directly, every host receives every tenant, including new ones.
func TestDirect(t *testing.T) {
	m := newMaster(t)
	m.apply(store.Update{Full: true, Revision: 5, Items: []store.Item{at("blue", "b1", "h1", 3), item(record.GlobalKey, `{"host-access":"direct"}`, 4)}})
	h2 := newAgent(t, "h2").follow(m)
	h2.want("every tenant", channel.Tenant("blue"), "blue:net:b1")
	m.apply(store.Update{Revision: 6, Items: []store.Item{at("red", "r1", "h1", 6)}})
	h2.until(6).want("and one that is new", channel.Tenant("red"), "red:net:r1")
	m.apply(store.Update{Revision: 7, Items: []store.Item{item(record.GlobalKey, `{"host-access":"private"}`, 7)}})
	h2.until(7).want("and one that is needless, for a while", channel.Tenant("red"), "red:net:r1")
}

// An agent continues at another netmaster without receiving anything twice, if both have the same store.
func TestResume(t *testing.T) {
	a, b := newMaster(t), newMaster(t)
	both := func(u store.Update) {
		a.apply(u)
		b.apply(u)
	}
	both(store.Update{Full: true, Revision: 10, Items: []store.Item{at("blue", "b1", "h1", 3), landmark("one", 9)}})
	h1 := newAgent(t, "h1").follow(a).until(10)
	both(store.Update{Revision: 12, Items: []store.Item{at("blue", "b2", "h2", 12)}})
	h1.until(12)
	fulls, told := h1.fulls, h1.bytes
	b.apply(store.Update{Revision: 14, Items: []store.Item{at("blue", "b3", "h2", 14)}, Gone: []string{record.Endpoints + "blue:net:b2"}})
	h1.follow(b).until(14).want("the changes since", channel.Tenant("blue"), "blue:net:b1 blue:net:b3")
	if h1.fulls != fulls || h1.bytes != told+2 {
		t.Errorf("want 2 changes and nothing whole, got %d and %d", h1.bytes-told, h1.fulls-fulls)
	}
	a.apply(store.Update{Revision: 14, Items: []store.Item{at("blue", "b3", "h2", 14)}, Gone: []string{record.Endpoints + "blue:net:b2"}})

	wiped := newMaster(t) // the store was restored, and has continued since in another way
	wiped.apply(store.Update{Full: true, Revision: 20, Items: []store.Item{at("blue", "b9", "h1", 15), landmark("another", 19)}})
	h1.follow(wiped).until(20).want("another store's", channel.Tenant("blue"), "blue:net:b9")
	if h1.fulls == fulls {
		t.Error("another store: want it sent as a whole")
	}
}

// A restored store can have the landmark that an agent knows, and have continued beyond its revision: its incarnation says that it is not
// the agent's.
func TestResumeIncarnation(t *testing.T) {
	all := store.Update{Full: true, Revision: 10, Items: []store.Item{at("blue", "b1", "h1", 3), landmark("one", 9)}}
	a, same, restored := newMasterOf(t, "x"), newMasterOf(t, "x"), newMasterOf(t, "y")
	for _, m := range []*master{a, same, restored} {
		m.apply(all)
		m.relay.Sync()
	}
	h1 := newAgent(t, "h1").follow(a).until(10)
	if h1.mark.Incarnation != "x" {
		t.Errorf("want the agent to know incarnation x, got %q", h1.mark.Incarnation)
	}
	fulls := h1.fulls
	for _, m := range []*master{same, restored} {
		m.apply(store.Update{Revision: 12, Items: []store.Item{at("blue", "b2", "h1", 12)}})
	}
	if h1.follow(same).until(12); h1.fulls != fulls {
		t.Errorf("the same incarnation: want it continued, got %d shards whole", h1.fulls-fulls)
	}
	if h1.follow(restored).until(12); h1.fulls == fulls || h1.mark.Incarnation != "y" {
		t.Errorf("another incarnation: want it sent as a whole, got %d shards, %q", h1.fulls-fulls, h1.mark.Incarnation)
	}
	before := newAgent(t, "h1").follow(a)
	before.mark.Incarnation = ""
	fulls = before.fulls
	if before.follow(same).until(12); before.fulls != fulls {
		t.Errorf("an agent of an earlier build: want it continued, got %d shards whole", before.fulls-fulls)
	}
}

// An agent whose records are lost offers what its host carries too, if the store is not the one that the host knows; one that joins a
// cluster does not.
func TestOfferWithoutRecords(t *testing.T) {
	m := newMasterOf(t, "y")
	m.apply(store.Update{Full: true, Revision: 10, Items: []store.Item{landmark("one", 9)}})
	m.relay.Sync()
	for _, row := range []struct {
		knows, offered string
		offers         bool
	}{{"", "", false}, {"y", "", false}, {"x", "", true}, {"x", "y", false}} {
		from, err := m.relay.Open(t.Context(), channel.Hello{Host: "h1", Offers: true, Offered: row.offered, Mark: channel.Mark{Incarnation: row.knows}})
		if errors.Is(err, relay.ErrOffer) != row.offers {
			t.Errorf("it knows %q and has offered to %q: want it to offer first %t, got %v", row.knows, row.offered, row.offers, err)
		}
		if err == nil {
			from.Close()
		}
	}
}

// A key that was created and deleted while an agent knew it from another netmaster is deleted for it too, even if the next netmaster has
// applied many changes at once; a netmaster that cannot decide sends everything again.
func TestResumeWithinAStep(t *testing.T) {
	first := store.Update{Full: true, Revision: 10, Items: []store.Item{at("blue", "b1", "h1", 3), landmark("one", 9)}}
	come := store.Update{Revision: 12, Items: []store.Item{at("blue", "b2", "h2", 12)}}
	gone := store.Update{Revision: 14, Items: []store.Item{at("blue", "b3", "h2", 14)}, Gone: []string{record.Endpoints + "blue:net:b2"}}
	for _, row := range []struct {
		name  string
		then  []store.Update // what the second netmaster receives after the first update, before it reads
		whole bool           // it sends everything again
	}{
		{"two updates in one step", []store.Update{come, gone}, false},
		{"one update with what came and went", []store.Update{{Revision: 14, Items: gone.Items, Gone: gone.Gone}}, true},
		{"one update without", []store.Update{{Revision: 14, Items: gone.Items}}, true},
		{"a list", []store.Update{come, {Full: true, Revision: 14, Items: append(slices.Clone(first.Items), gone.Items...)}}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, b := newMaster(t), newLateMaster(t)
			a.apply(first)
			b.apply(first)
			b.relay.Sync()
			h1 := newAgent(t, "h1").follow(a).until(10)
			a.apply(come)
			h1.until(12).want("an endpoint", channel.Tenant("blue"), "blue:net:b1 blue:net:b2")
			fulls := h1.fulls
			for _, u := range row.then {
				b.apply(u)
			}
			b.relay.Sync()
			h1.follow(b).want("the endpoint is gone", channel.Tenant("blue"), "blue:net:b1 blue:net:b3")
			if whole := h1.fulls > fulls; whole != row.whole {
				t.Errorf("sent everything again: want %t, got %t", row.whole, whole)
			}
		})
	}
}

// A netmaster that lags behind an agent's state sends it nothing until it has caught up.
func TestLag(t *testing.T) {
	m := newMaster(t)
	m.apply(store.Update{Full: true, Revision: 10, Items: []store.Item{at("blue", "b1", "h1", 3), landmark("one", 9)}})
	late := channel.Hello{Host: "h1", Mark: channel.Mark{Revision: 12, Complete: 12, Landmark: channel.Landmark{Text: "one", Revision: 9}}}
	limited, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := m.relay.Open(limited, late); err == nil {
		t.Error("want the agent kept waiting")
	}
	opened := make(chan error, 1)
	go func() {
		s, err := m.relay.Open(t.Context(), late)
		if err == nil {
			s.Close()
		}
		opened <- err
	}()
	m.apply(store.Update{Revision: 12, Items: []store.Item{at("blue", "b2", "h2", 12)}})
	if err := <-opened; err != nil {
		t.Errorf("once it knows as much: want no error, got %v", err)
	}
}

// A netmaster that has lost the store serves its state for a while, and then refuses agents; once the store is back, it serves again.
func TestStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMaster(t)
		m.apply(store.Update{Full: true, Revision: 10, Items: []store.Item{at("blue", "b1", "h1", 3), landmark("one", 9)}})
		h1 := newAgent(t, "h1").follow(m)
		m.away.Store(true)
		h1.next()
		h1.next()
		time.Sleep(20 * time.Second)
		if again := h1.from.Next(t.Context()); again != nil {
			t.Error("want the agent sent away")
		}
		if _, err := m.relay.Open(t.Context(), channel.Hello{Host: "h1"}); err == nil || !strings.Contains(err.Error(), "has lost the store") {
			t.Errorf("an agent that connects: want a refusal with the reason, got %v", err)
		}
		m.away.Store(false)
		h1.follow(m).want("once the store is back", channel.Tenant("blue"), "blue:net:b1")
	})
}

// Records of an earlier build belong to no shard: nothing is sent until a leader has moved them.
func TestLegacyRecords(t *testing.T) {
	m := newMaster(t)
	old := record.LegacyEndpoints + "net.blue-b1"
	m.apply(store.Update{Full: true, Revision: 10, Items: []store.Item{item(old, `{}`, 3)}})
	m.relay.Sync()
	select {
	case <-m.relay.Ready():
		t.Fatal("want nothing sent yet")
	default:
	}
	m.apply(store.Update{Revision: 11, Items: []store.Item{at("blue", "b1", "h1", 11)}, Gone: []string{old}})
	newAgent(t, "h1").follow(m).until(11).want("the record at its new place", channel.Tenant("blue"), "blue:net:b1")
}

// After any changes in any order at any netmaster, each host has exactly what concerns it.
func TestRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	masters := []*master{newMaster(t), newMaster(t)}
	have := map[string]store.Item{}
	both := func(u store.Update) {
		for _, m := range masters {
			m.apply(u)
		}
	}
	both(store.Update{Full: true, Revision: 1, Items: []store.Item{landmark("one", 1)}})
	hosts := []*agent{}
	for i := range 4 {
		hosts = append(hosts, newAgent(t, fmt.Sprintf("h%d", i)).follow(masters[i%2]))
	}
	rev := uint64(1)
	for range 400 {
		rev++
		u := store.Update{Revision: store.Revision(rev)}
		tenant, name := fmt.Sprintf("t%d", random.IntN(3)), fmt.Sprintf("e%d", random.IntN(6))
		e := at(tenant, name, fmt.Sprintf("h%d", random.IntN(4)), rev)
		if _, is := have[e.Key]; is && random.IntN(2) == 0 {
			delete(have, e.Key)
			u.Gone = []string{e.Key}
		} else {
			have[e.Key] = e
			u.Items = []store.Item{e}
		}
		both(u)
		switch h := hosts[random.IntN(len(hosts))]; random.IntN(6) {
		case 0:
			h.follow(masters[random.IntN(2)])
		case 1:
			h.until(rev)
		}
	}
	for _, h := range hosts {
		h.until(rev)
		for i := range 3 {
			tenant, want, here := fmt.Sprintf("t%d", i), []string{}, false
			for key, e := range have {
				if strings.HasPrefix(key, record.Endpoints+tenant+":") {
					want = append(want, key[len(record.Endpoints):])
					here = here || strings.Contains(string(e.Value), `"homingHost":"`+h.host+`"`)
				}
			}
			slices.Sort(want)
			if here {
				h.want("in the end", channel.Tenant(tenant), strings.Join(want, " "))
			}
		}
	}
}

// An update for many agents is encoded once.
func BenchmarkChange(b *testing.B) {
	log := slog.New(slog.DiscardHandler)
	known := catalog.New()
	r := relay.New(known, "", func() string { return "" }, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	go func() { _ = r.Run(ctx) }()
	all := store.Update{Full: true, Revision: 1}
	for i := range 50_000 {
		all.Items = append(all.Items, at(fmt.Sprintf("t%d", i%1000), fmt.Sprint("e", i), fmt.Sprint("h", i%1000), 1))
	}
	if err := known.Apply(all, log); err != nil {
		b.Fatal(err)
	}
	var agents []*relay.Stream
	for i := range 1000 {
		s, err := r.Open(ctx, channel.Hello{Host: fmt.Sprint("h", i)})
		if err != nil {
			b.Fatal(err)
		}
		s.Next(ctx)
		agents = append(agents, s)
	}
	b.ResetTimer()
	for n := 0; b.Loop(); n++ {
		rev := uint64(n + 2)
		if err := known.Apply(store.Update{Revision: store.Revision(rev), Items: []store.Item{at("t7", "e7", "h7", rev)}}, log); err != nil {
			b.Fatal(err)
		}
		r.Sync()
		for _, m := range agents[7].Next(ctx) {
			_, _ = io.Discard.Write(m)
		}
	}
}
