// SPDX-License-Identifier: Apache-2.0

package etcd_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/etcd"
	"github.com/contiv/contiv/daemon/store/storetest"
)

// factory is a real etcd behind a proxy that can be cut.
type factory struct {
	proxy  *storetest.Proxy
	url    string
	server *embedded.Server
	config embedded.Config
}

var _ storetest.Restarter = (*factory)(nil)

func newFactory(tb testing.TB) storetest.Factory {
	tb.Helper()
	f := &factory{config: embedded.Config{Dir: tb.TempDir()}}
	f.server = serve(tb, f.config)
	f.url = f.server.ClientURL()
	f.config.ClientURL = f.url
	f.proxy = storetest.NewProxy(tb, strings.TrimPrefix(f.url, "http://"))
	return f
}

func (f *factory) Restart(tb testing.TB) {
	tb.Helper()
	if err := f.server.Close(); err != nil {
		tb.Fatal(err)
	}
	server, err := embedded.Start(context.Background(), f.config)
	if err != nil {
		tb.Fatal(err)
	}
	f.server = server
}

func open(tb testing.TB, url string) store.Store {
	tb.Helper()
	s, err := etcd.Open(etcd.Config{Endpoints: []string{url}, Timeout: time.Second})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func (f *factory) Open(tb testing.TB) store.Store   { return open(tb, "http://"+f.proxy.Address()) }
func (f *factory) Direct(tb testing.TB) store.Store { return open(tb, f.url) }
func (f *factory) Away(testing.TB)                  { f.proxy.Cut() }
func (f *factory) Back(tb testing.TB)               { f.proxy.Mend(tb) }
func (f *factory) LeaseTTL() time.Duration          { return 2 * time.Second }

func (f *factory) Compact(tb testing.TB) {
	tb.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{f.url}, Logger: zap.NewNop()})
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	resp, err := c.Get(context.Background(), "any")
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := c.Compact(context.Background(), resp.Header.Revision); err != nil {
		tb.Fatal(err)
	}
}

// STO-02, STO-03: a key is read after a put, and not found after a deletion, and a watch sees the put, the change and the deletion.
func TestConformance(t *testing.T) {
	storetest.Run(t, func(tb testing.TB) storetest.Factory {
		f := newFactory(tb).(*factory)
		tb.Cleanup(func() { _ = f.server.Close() })
		return f
	})
}

func TestObserve(t *testing.T) { storetest.Observe(t, newFactory(t)) }

// A store that is recreated while the connection is cut is listed completely, whether its revisions are lower or higher than
// before.
func TestStoreRecreated(t *testing.T) {
	for _, changes := range []int{2, 20} {
		c := embedded.Config{Dir: t.TempDir()}
		server := serve(t, c)
		proxy := storetest.NewProxy(t, strings.TrimPrefix(server.ClientURL(), "http://"))
		client := open(t, "http://"+proxy.Address())
		t.Cleanup(func() { _ = client.Close() })
		var last store.Revision
		for i := range 10 {
			last = put(t, server, fmt.Sprint("old", i))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var known, want []string
		for u, err := range client.Watch(ctx, "") {
			switch {
			case err != nil:
			case len(want) == 0: // the first list
				proxy.Cut()
				if err := server.Close(); err != nil {
					t.Fatal(err)
				}
				server = serve(t, embedded.Config{Dir: t.TempDir(), ClientURL: server.ClientURL()})
				for i := range changes {
					want = append(want, fmt.Sprintf("new%02d", i))
					put(t, server, want[i])
				}
				proxy.Mend(t)
			default:
				if !u.Full || (u.Revision < last) != (changes < 10) {
					t.Errorf("%d changes: want the whole new store, got %+v", changes, u)
				}
				for _, i := range u.Items {
					known = append(known, i.Key)
				}
				cancel()
			}
		}
		if !slices.Equal(known, want) {
			t.Errorf("want %q, got %q", want, known)
		}
	}
}

func serve(tb testing.TB, c embedded.Config) *embedded.Server {
	tb.Helper()
	s, err := embedded.Start(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func put(tb testing.TB, s store.Store, key string) store.Revision {
	tb.Helper()
	var tx store.Tx
	tx.Put(key, []byte("x"))
	rev, err := s.Commit(tb.Context(), &tx)
	if err != nil {
		tb.Fatal(err)
	}
	return rev
}

func TestOpenRefuses(t *testing.T) {
	for _, in := range [][]string{nil, {""}, {"10.0.0.1:2379"}, {"ftp://10.0.0.1"}, {"http://"}} {
		if s, err := etcd.Open(etcd.Config{Endpoints: in}); err == nil {
			t.Errorf("%q: want an error, got %s", in, s)
			_ = s.Close()
		}
	}
}

// A list is complete, in order and at one revision, whether the server streams it or, as before etcd 3.7 and within this process,
// returns pages.
func TestLongList(t *testing.T) {
	server := serve(t, embedded.Config{Dir: t.TempDir()})
	client := open(t, server.ClientURL())
	t.Cleanup(func() { _ = client.Close() })
	const keys = 4500
	for i := 0; i < keys; {
		var tx store.Tx
		for range min(keys-i, 100) {
			tx.Put(fmt.Sprintf("long/%05d", i), []byte("x"))
			i++
		}
		if _, err := client.Commit(t.Context(), &tx); err != nil {
			t.Fatal(err)
		}
	}
	put(t, server, "lonh")
	rev := put(t, server, "long/00000")
	for name, s := range map[string]store.Store{"stream": client, "pages": server} {
		for prefix, want := range map[string]int{"long/": keys, "": keys + 1, "no such/": 0, "long/00000": 1} {
			items, at, err := s.List(t.Context(), prefix)
			if err != nil || at != rev || len(items) != want {
				t.Fatalf("%s of %q: want %d keys at %d, got %d at %d, %v", name, prefix, want, rev, len(items), at, err)
			}
			if !slices.IsSortedFunc(items, func(a, b store.Item) int { return strings.Compare(a.Key, b.Key) }) {
				t.Errorf("%s of %q: the keys are not in order", name, prefix)
			}
		}
	}
}
