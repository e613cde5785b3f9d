// SPDX-License-Identifier: Apache-2.0

package etcd_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
)

// give frees the space of an etcd, as an operator does: compact, defrag, alarm disarm.
func give(t *testing.T, url string) {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{url}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	now, err := c.Get(ctx, "any")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Compact(ctx, now.Header.Revision, clientv3.WithCompactPhysical()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Defragment(ctx, url); err != nil {
		t.Fatal(err)
	}
	if _, err := c.AlarmDisarm(ctx, &clientv3.AlarmMember{}); err != nil {
		t.Fatal(err)
	}
}

// An etcd without space returns ErrNoSpace to writes, in its process and over the network; deletions, reads, watches and existing
// leases continue, and writes continue once there is space.
func TestNoSpace(t *testing.T) {
	const quota = 8 << 20
	server := serve(t, embedded.Config{Dir: t.TempDir(), Quota: quota})
	client := open(t, server.ClientURL())
	t.Cleanup(func() { _ = client.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	lease, err := client.Grant(ctx, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	kept := make(chan error, 1)
	go func() { kept <- lease.KeepAlive(ctx) }()
	put(t, client, "other")
	value := bytes.Repeat([]byte("x"), 1<<20)
	fill := func(s store.Store) error {
		for range 3 * quota >> 20 {
			var tx store.Tx
			tx.Put("key", value)
			if _, err := s.Commit(ctx, &tx); err != nil {
				return err
			}
		}
		return nil
	}
	for name, s := range map[string]store.Store{"over the network": client, "in the process": server} {
		if err := fill(s); !errors.Is(err, store.ErrNoSpace) || errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("%s: want %v, got %v", name, store.ErrNoSpace, err)
		}
		if _, err := s.Grant(ctx, time.Minute); !errors.Is(err, store.ErrNoSpace) {
			t.Errorf("%s: a lease: want %v, got %v", name, store.ErrNoSpace, err)
		}
		members, err := s.(store.Observer).Members(ctx)
		if err != nil || len(members) != 1 {
			t.Fatalf("%s: members: got %v, %v", name, members, err)
		}
		if m := members[0]; !m.Full || m.Quota != quota || m.Bytes < quota-(1<<20) || m.InUse == 0 || m.InUse > m.Bytes {
			t.Errorf("%s: want a full member of %d bytes, got %+v", name, quota, m)
		}
	}
	next := make(chan store.Update)
	go func() {
		for u, err := range client.Watch(ctx, "other") {
			if err == nil {
				next <- u
			}
		}
	}()
	if u := <-next; !u.Full || len(u.Items) != 1 {
		t.Errorf("a watch: want all items, got %+v", u)
	}
	var tx store.Tx
	tx.Delete("other")
	if _, err := client.Commit(ctx, &tx); err != nil {
		t.Errorf("a deletion: %v", err)
	}
	if u := <-next; len(u.Gone) != 1 {
		t.Errorf("a watch: want a deletion, got %+v", u)
	}
	time.Sleep(lease.TTL() + time.Second)
	select {
	case err := <-kept:
		t.Errorf("the lease ended: %v", err)
	default:
	}
	give(t, server.ClientURL())
	put(t, client, "other")
	if u := <-next; len(u.Items) != 1 {
		t.Errorf("a watch: want the new item, got %+v", u)
	}
	members, err := client.(store.Observer).Members(ctx)
	if err != nil || len(members) != 1 || members[0].Full || members[0].Bytes > quota/2 {
		t.Errorf("want a member with space, got %v, %v", members, err)
	}
}

// Compact discards the history before a revision once; a later caller gets already, and the contents stay.
func TestCompact(t *testing.T) {
	server := serve(t, embedded.Config{Dir: t.TempDir()})
	var revs []store.Revision
	for range 3 {
		revs = append(revs, put(t, server, "key"))
	}
	for _, tt := range []struct {
		rev     store.Revision
		already bool
	}{{revs[1], false}, {revs[1], true}, {revs[0], true}, {revs[2], false}} {
		if already, err := server.Compact(t.Context(), tt.rev); err != nil || already != tt.already {
			t.Errorf("compacted to %d: want already %t, got %t, %v", tt.rev, tt.already, already, err)
		}
	}
	if it, err := server.Read(t.Context(), "key"); err != nil || it.Revision != revs[2] {
		t.Errorf("want the last value of the key, got %v, %v", it, err)
	}
}
