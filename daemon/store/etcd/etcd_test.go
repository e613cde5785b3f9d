package etcd_test

import (
	"context"
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

// factory is a real etcd behind a network that can be cut.
type factory struct {
	proxy *storetest.Proxy
	url   string
}

func newFactory(tb testing.TB) storetest.Factory {
	tb.Helper()
	server, err := embedded.Start(tb.Context(), embedded.Config{Dir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = server.Close() })
	url := server.ClientURL()
	return &factory{storetest.NewProxy(tb, strings.TrimPrefix(url, "http://")), url}
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

// STO-02, STO-03: what is put is read, what is deleted is not found, and a watch sees it come, change and go.
func TestConformance(t *testing.T) { storetest.Run(t, newFactory) }

func TestObserve(t *testing.T) { storetest.Observe(t, newFactory(t)) }

func TestOpenRefuses(t *testing.T) {
	for _, in := range [][]string{nil, {""}, {"10.0.0.1:2379"}, {"ftp://10.0.0.1"}, {"http://"}} {
		if s, err := etcd.Open(etcd.Config{Endpoints: in}); err == nil {
			t.Errorf("%q: want an error, got %s", in, s)
			_ = s.Close()
		}
	}
}
