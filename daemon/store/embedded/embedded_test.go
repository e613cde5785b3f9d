// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/etcd"
)

func begin(tb testing.TB, c Config) *Server {
	tb.Helper()
	s, err := Start(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func put(tb testing.TB, s store.Store, key, value string) {
	tb.Helper()
	var tx store.Tx
	tx.Put(key, []byte(value))
	if _, err := s.Commit(tb.Context(), &tx); err != nil {
		tb.Fatal(err)
	}
}

// TestRestart stops a server and starts it again on its data; an existing client continues, including its watch.
func TestRestart(t *testing.T) {
	c := Config{Dir: t.TempDir(), ClientURL: freeURL(t), PeerURL: freeURL(t)}
	s := begin(t, c)
	put(t, s, "a", "1")
	client, err := etcd.Open(etcd.Config{Endpoints: []string{s.ClientURL()}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	seen := make(chan string, 100)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for u, err := range client.Watch(ctx, "a") {
			if err != nil {
				seen <- "away"
			}
			for _, i := range u.Items {
				seen <- string(i.Value)
			}
		}
	}()
	await(t, seen, "1")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = begin(t, c)
	if i, err := client.Read(t.Context(), "a"); err != nil || string(i.Value) != "1" {
		t.Errorf("after the restart: want 1, got %q (%v)", i.Value, err)
	}
	put(t, s, "a", "2")
	await(t, seen, "2")
}

func await(tb testing.TB, seen <-chan string, want string) {
	tb.Helper()
	for end := time.After(30 * time.Second); ; {
		select {
		case got := <-seen:
			if got == want {
				return
			}
		case <-end:
			tb.Fatalf("want to see %s within 30 s", want)
		}
	}
}

// freeURL returns a URL on loopback at which nothing listens.
func freeURL(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// TestCluster forms a cluster of three, loses one member with its data, continues, and replaces the member. Then it loses two for
// good, and continues with only the third.
func TestCluster(t *testing.T) {
	cluster := map[string]string{}
	for i := range 3 {
		cluster[fmt.Sprint("m", i)] = freeURL(t)
	}
	members := make([]*Server, 3)
	errs := make([]error, 3)
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	var wg sync.WaitGroup
	for i := range members {
		wg.Go(func() {
			name := fmt.Sprint("m", i)
			members[i], errs[i] = Start(t.Context(), Config{
				Dir: dirs[i], Name: name, PeerURL: cluster[name], InitialCluster: cluster,
			})
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("member %d: %v", i, err)
		}
		defer members[i].Close()
	}
	put(t, members[0], "a", "1")
	if i, err := members[2].Read(t.Context(), "a"); err != nil || string(i.Value) != "1" {
		t.Errorf("another member: want 1, got %q (%v)", i.Value, err)
	}
	if err := members[0].Close(); err != nil {
		t.Fatal(err)
	}
	put(t, members[1], "a", "2")
	if i, err := members[2].Read(t.Context(), "a"); err != nil || string(i.Value) != "2" {
		t.Errorf("without one member: want 2, got %q (%v)", i.Value, err)
	}
	replace(t, members[1], "m0", cluster["m0"])
	// A new member asks any of the others who is in the cluster, and does not start if that one does not know of it yet.
	if err := knows(t, members[2], cluster["m0"]); err != nil {
		t.Fatal(err)
	}
	again, err := Start(t.Context(), Config{Dir: t.TempDir(), Name: "m0", PeerURL: cluster["m0"], InitialCluster: cluster, Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if i, err := again.Read(t.Context(), "a"); err != nil || string(i.Value) != "2" {
		t.Errorf("the replacement: want 2, got %q (%v)", i.Value, err)
	}
	for _, m := range []*Server{again, members[1], members[2]} {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	alone, err := Start(t.Context(), Config{Dir: dirs[2], Name: "m2", PeerURL: cluster["m2"], InitialCluster: cluster, Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	if i, err := alone.Read(t.Context(), "a"); err != nil || string(i.Value) != "2" {
		t.Errorf("the remaining member: want 2, got %q (%v)", i.Value, err)
	}
	put(t, alone, "a", "3")
}

// replace removes a member that has lost its data from a cluster, and adds one with its name and peer URL, as etcdctl does.
func replace(t *testing.T, s *Server, name, peer string) {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{s.ClientURL()}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.MemberList(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Members {
		if m.Name != name {
			continue
		}
		if _, err := c.MemberRemove(t.Context(), m.ID); err != nil {
			t.Fatal(err)
		}
	}
	for { // a cluster accepts a member once the others have been connected for some seconds
		_, err := c.MemberAdd(t.Context(), []string{peer})
		if err == nil {
			return
		}
		if !errors.Is(err, rpctypes.ErrUnhealthy) {
			t.Fatal(err)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// knows blocks until a member knows the one at a peer URL; its answers are linearizable.
func knows(t *testing.T, s *Server, peer string) error {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{s.ClientURL()}})
	if err != nil {
		return err
	}
	defer c.Close()
	list, err := c.MemberList(t.Context())
	if err != nil {
		return err
	}
	for _, m := range list.Members {
		if slices.Contains(m.PeerURLs, peer) {
			return nil
		}
	}
	return fmt.Errorf("%s does not know %s", s, peer)
}

func TestStartRefuses(t *testing.T) {
	var log strings.Builder
	tests := []struct {
		name string
		in   Config
	}{
		{"no directory", Config{}},
		{"client URL without port", Config{Dir: t.TempDir(), ClientURL: "http://127.0.0.1"}},
		{"not HTTP", Config{Dir: t.TempDir(), PeerURL: "unix:///x"}},
		{"not in its own cluster", Config{Dir: t.TempDir(), Name: "x", InitialCluster: map[string]string{"y": "http://127.0.0.1:1"}}},
		{"address of another machine", Config{Dir: t.TempDir(), ClientURL: "http://192.0.2.1:1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Log = slog.New(slog.NewTextHandler(&log, nil))
			if s, err := Start(t.Context(), tt.in); err == nil {
				t.Errorf("want an error, got %s", s)
				_ = s.Close()
			}
		})
	}
}

// TestNoMajority gives up with its context if the other members do not start.
func TestNoMajority(t *testing.T) {
	cluster := map[string]string{"a": freeURL(t), "b": freeURL(t), "c": freeURL(t)}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	s, err := Start(ctx, Config{Dir: t.TempDir(), Name: "a", PeerURL: cluster["a"], InitialCluster: cluster})
	if err == nil {
		_ = s.Close()
		t.Fatal("want an error, got a store")
	}
}
