// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"testing"

	"github.com/contiv/contiv/daemon/store"
)

// Observe checks a Store that implements store.Observer: its members, and the leases of keys.
func Observe(t *testing.T, f Factory) {
	s := f.Open(t)
	defer func() { _ = s.Close() }()
	o, ok := s.(store.Observer)
	if !ok {
		t.Fatalf("%s is no store.Observer", s)
	}
	lease, err := s.Grant(t.Context(), f.LeaseTTL())
	if err != nil {
		t.Fatal(err)
	}
	var tx store.Tx
	tx.PutLeased("/kept/a", []byte("1"), lease)
	tx.Put("/kept/b", []byte("2"))
	tx.PutLeased("/other", []byte("3"), lease)
	if _, err := s.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	leases, err := o.Leases(t.Context(), "/kept/")
	if err != nil || len(leases) != 1 || leases[0].Key != "/kept/a" || leases[0].Granted != lease.TTL() || leases[0].Left > lease.TTL() || leases[0].Left < 0 {
		t.Errorf("want only the lease of /kept/a, of at most %s, got %v, %v", lease.TTL(), leases, err)
	}
	if members, err := o.Members(t.Context()); err != nil || len(members) != 1 || !members[0].Leader || members[0].Err != nil || members[0].Bytes == 0 {
		t.Errorf("want one member, which leads, got %v, %v", members, err)
	}
	f.Away(t)
	ctx, cancel := context.WithTimeout(t.Context(), f.LeaseTTL())
	defer cancel()
	if leases, err := o.Leases(ctx, "/"); err == nil {
		t.Errorf("the store is away: want an error, got %v", leases)
	}
	if members, err := o.Members(ctx); err == nil {
		t.Errorf("the store is away: want an error, got %v", members)
	}
	f.Back(t)
}
