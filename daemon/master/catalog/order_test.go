package catalog_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

const (
	netKey  = record.Networks + "n.default"
	netText = `{"id":"n.default","tenant":"default","networkName":"n","pktTagType":"vlan","pktTag":7,"subnetIP":"10.1.1.0","subnetLen":28,"ipAddrRange":"10.1.1.0-10.1.1.15"}`
)

func endpointAt(id, address string) []byte {
	return fmt.Appendf(nil, `{"id":%q,"netID":"n.default","endpointID":%q,"ipAddress":%q}`, id, id, address)
}

// owned checks that the pool of the network and the owners of its addresses are what the endpoints say.
func owned(c *catalog.Catalog) (wrong string) {
	c.View(func(v *catalog.View) {
		n := v.Network("n.default")
		if n == nil {
			return
		}
		have := map[string]bool{}
		for _, e := range v.Endpoints() {
			have[e.IPAddress] = true
			if n.Owner(netip.MustParseAddr(e.IPAddress)) == "" {
				wrong = fmt.Sprintf("%s has %s, which has no owner", e.ID, e.IPAddress)
			}
		}
		if int(n.Pool4.InUse()) != len(have) || n.Allocated() != len(have) {
			wrong = fmt.Sprintf("%d addresses are used, %d are taken and %d have owners", len(have), n.Pool4.InUse(), n.Allocated())
		}
	})
	return wrong
}

// A leader's list is ahead of its watch: what the watch tells of the time before changes nothing, though it tells of a key that the
// leader has never seen. Its address is another endpoint's by now, and stays so.
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
	k, e2 := record.Endpoints+"n.default-k", record.Endpoints+"n.default-e2"
	put := commit(func(tx *store.Tx) { tx.Put(k, endpointAt("n.default-k", "10.1.1.3")) })
	gone := commit(func(tx *store.Tx) { tx.Delete(k) })
	commit(func(tx *store.Tx) { tx.Put(e2, endpointAt("n.default-e2", "10.1.1.3")) })
	if err := c.Load(t.Context(), db, quiet); err != nil {
		t.Fatal(err)
	}
	late := []store.Update{
		{Items: []store.Item{{Key: k, Value: endpointAt("n.default-k", "10.1.1.3"), Revision: put}}, Revision: put},
		{Gone: []string{k}, Revision: gone},
	}
	for _, u := range late {
		c.Apply(u, quiet)
		c.View(func(v *catalog.View) {
			a := netip.MustParseAddr("10.1.1.3")
			if v.Endpoint("n.default-k") != nil || v.Network("n.default").Owner(a) != "endpoint n.default-e2" {
				t.Errorf("after %+v: want e2 alone, got %v, and %q has the address", u, v.Endpoints(), v.Network("n.default").Owner(a))
			}
			if err := v.Network("n.default").Pool4.Take(a); err == nil {
				t.Errorf("after %+v: the address of e2 is given again", u)
			}
		})
	}
}

// The leader's own commit is ahead of its watch: what others did before it has still to come, and comes.
func TestCommitAheadOfWatch(t *testing.T) {
	c := catalog.New()
	c.Apply(store.Update{Full: true, Items: []store.Item{{Key: netKey, Value: []byte(netText), Revision: 2}}, Revision: 2}, quiet)
	c.Committed([]store.Op{{Key: record.Endpoints + "a", Value: endpointAt("a", "10.1.1.1")}}, 5, quiet)
	c.Apply(store.Update{Items: []store.Item{{Key: record.Endpoints + "b", Value: endpointAt("b", "10.1.1.2"), Revision: 4}}, Revision: 4}, quiet)
	// The watch may also be the faster one: it tells of a commit, and of the end of what was committed.
	c.Apply(store.Update{Gone: []string{record.Endpoints + "c"}, Revision: 9}, quiet)
	c.Committed([]store.Op{{Key: record.Endpoints + "c", Value: endpointAt("c", "10.1.1.3")}}, 8, quiet)
	c.View(func(v *catalog.View) {
		if v.Endpoint("a") == nil || v.Endpoint("b") == nil || v.Endpoint("c") != nil {
			t.Errorf("want a and b, got %v", v.Endpoints())
		}
	})
	if wrong := owned(c); wrong != "" {
		t.Error(wrong)
	}
}

// A store that was restored from a backup with its revisions raised holds values that are older than those known.
func TestRestoredWithRaisedRevisions(t *testing.T) {
	c := catalog.New()
	full := func(rev store.Revision, items ...store.Item) {
		items = append(items, store.Item{Key: netKey, Value: []byte(netText), Revision: 2})
		c.Apply(store.Update{Full: true, Items: items, Revision: rev}, quiet)
	}
	a, b := record.Endpoints+"a", record.Endpoints+"b"
	full(3, store.Item{Key: a, Value: endpointAt("a", "10.1.1.1"), Revision: 3})
	c.Apply(store.Update{Revision: 9, Items: []store.Item{
		{Key: a, Value: endpointAt("a", "10.1.1.5"), Revision: 8}, {Key: b, Value: endpointAt("b", "10.1.1.6"), Revision: 9},
	}}, quiet)
	full(1_000_003, store.Item{Key: a, Value: endpointAt("a", "10.1.1.1"), Revision: 3})
	c.View(func(v *catalog.View) {
		if e := v.Endpoint("a"); e == nil || e.IPAddress != "10.1.1.1" || v.Endpoint("b") != nil {
			t.Errorf("want a at 10.1.1.1 alone, got %v", v.Endpoints())
		}
	})
	if wrong := owned(c); wrong != "" {
		t.Error(wrong)
	}
}

// Whatever order a leader hears of changes in - by its watch, which lags, merges and tells twice, by lists at the beginning of
// terms, by its own commits before or after the watch, of a store that is restored beneath it - it knows in the end what a list of
// the store says, and at no time does it take an address that an endpoint has for free.
func TestOrders(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newScript(rt)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			rapid.SampledFrom([]func(){s.write, s.write, s.commit, s.commit, s.answer, s.hear, s.hear, s.again, s.load, s.list, s.restore}).Draw(rt, "step")()
			if wrong := s.given(); wrong != "" {
				rt.Fatal(wrong)
			}
		}
		for len(s.answers) > 0 {
			s.answer()
		}
		s.hearAll()
		fresh := catalog.New()
		fresh.Apply(store.Update{Full: true, Items: s.items(), Revision: s.rev}, quiet)
		if got, want := describe(s.c), describe(fresh); got != want || owned(s.c) != "" {
			rt.Fatalf("a new master would know\n%s\nthe running one knows\n%s\n%s", want, got, owned(s.c))
		}
	})
}

// script is a store as a history of changes, with a leader that hears of them.
type script struct {
	*rapid.T
	c       *catalog.Catalog
	rev     store.Revision
	now     map[string]store.Item
	told    store.Revision // by the watch
	log     []change       // for the watch
	answers []change       // to the leader's commits, which it has not got yet
	backup  map[string]store.Item
	at      store.Revision // of the backup
}

type change struct {
	rev store.Revision
	key string
	now []byte // nil: deleted
}

func newScript(rt *rapid.T) *script {
	s := &script{T: rt, c: catalog.New(), now: map[string]store.Item{}, rev: 2}
	s.now[netKey] = store.Item{Key: netKey, Value: []byte(netText), Revision: 2}
	s.save()
	s.load()
	return s
}

func (s *script) save() {
	s.backup, s.at = map[string]store.Item{}, s.rev
	for k, it := range s.now {
		s.backup[k] = it
	}
}

// change changes one endpoint: a new one gets an address that no other has in the store, as leaders see to.
func (s *script) change() change {
	id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(s.T, "endpoint")
	key := record.Endpoints + id
	s.rev += store.Revision(rapid.IntRange(1, 3).Draw(s.T, "gap"))
	c := change{rev: s.rev, key: key}
	if _, ok := s.now[key]; ok && rapid.Bool().Draw(s.T, "delete") {
		delete(s.now, key)
	} else {
		var free []string
		for i := range 8 {
			a := fmt.Sprintf("10.1.1.%d", i+1)
			if !slices.ContainsFunc(s.items(), func(it store.Item) bool {
				return it.Key != key && string(it.Value) == string(endpointAt(it.Key[len(record.Endpoints):], a))
			}) {
				free = append(free, a)
			}
		}
		c.now = endpointAt(id, rapid.SampledFrom(free).Draw(s.T, "address"))
		s.now[key] = store.Item{Key: key, Value: c.now, Revision: s.rev}
	}
	s.log = append(s.log, c)
	return c
}

func (s *script) write() { s.change() }

// commit is a change of the leader's own, of which it hears by answer, if not by the watch.
func (s *script) commit() { s.answers = append(s.answers, s.change()) }

func (s *script) answer() {
	if len(s.answers) == 0 {
		return
	}
	c := s.answers[0]
	s.answers = s.answers[1:]
	s.c.Committed([]store.Op{{Key: c.key, Value: c.now, Delete: c.now == nil}}, c.rev, quiet)
}

// update merges changes as a watch does.
func update(log []change) store.Update {
	u, last := store.Update{}, map[string]change{}
	for _, c := range log {
		last[c.key], u.Revision = c, c.rev
	}
	for key, c := range last {
		if c.now == nil {
			u.Gone = append(u.Gone, key)
		} else {
			u.Items = append(u.Items, store.Item{Key: key, Value: c.now, Revision: c.rev})
		}
	}
	u.Sort()
	return u
}

// hear has the watch tell some of what it has still to tell.
func (s *script) hear() {
	at := slices.IndexFunc(s.log, func(c change) bool { return c.rev > s.told })
	if at < 0 {
		return
	}
	part := s.log[at : at+rapid.IntRange(1, len(s.log)-at).Draw(s.T, "changes")]
	s.c.Apply(update(part), quiet)
	s.told = part[len(part)-1].rev
}

func (s *script) hearAll() {
	for s.told < s.rev && slices.ContainsFunc(s.log, func(c change) bool { return c.rev > s.told }) {
		s.hear()
	}
}

// again has the watch tell something a second time.
func (s *script) again() {
	if n := slices.IndexFunc(s.log, func(c change) bool { return c.rev > s.told }); n != 0 && len(s.log) > 0 {
		if n < 0 {
			n = len(s.log)
		}
		from := rapid.IntRange(0, n-1).Draw(s.T, "from")
		s.c.Apply(update(s.log[from:n]), quiet)
	}
}

// load is the beginning of a term: the answers to commits of the one before have all come.
func (s *script) load() {
	for len(s.answers) > 0 {
		s.answer()
	}
	if err := s.c.Load(context.Background(), lists{s}, quiet); err != nil {
		s.Fatal(err)
	}
}

// list has the watch list, as after a compaction.
func (s *script) list() {
	s.c.Apply(store.Update{Full: true, Items: s.items(), Revision: s.rev}, quiet)
	s.told = s.rev
	if rapid.Bool().Draw(s.T, "backup") {
		s.save()
	}
}

// restore puts the backup in place of the store, with revisions that are higher than all before. The leader's lease is not
// in it, so its term ends.
func (s *script) restore() {
	for len(s.answers) > 0 {
		s.answer()
	}
	s.now = map[string]store.Item{}
	for k, it := range s.backup {
		s.now[k] = it
	}
	s.log = nil
	s.rev += 1000
	s.list()
	s.load()
}

func (s *script) items() []store.Item {
	var out []store.Item
	for _, it := range s.now {
		out = append(out, it)
	}
	u := store.Update{Items: out}
	u.Sort()
	return u.Items
}

// given checks that no address is free that an endpoint has which the leader knows.
func (s *script) given() (wrong string) {
	s.c.View(func(v *catalog.View) {
		n := v.Network("n.default")
		for _, e := range v.Endpoints() {
			a := netip.MustParseAddr(e.IPAddress)
			if err := n.Pool4.Take(a); err == nil {
				n.Pool4.Release(a)
				wrong = fmt.Sprintf("%s is free, and %s has it", e.IPAddress, e.ID)
			}
		}
	})
	return wrong
}

// lists is the script's store as Load reads it.
type lists struct{ s *script }

func (l lists) List(context.Context, string) ([]store.Item, store.Revision, error) {
	return l.s.items(), l.s.rev, nil
}
