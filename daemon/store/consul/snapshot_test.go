// SPDX-License-Identifier: Apache-2.0

//go:build consul

package consul

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/storetest"
)

// A restore brings back the saved data of a Consul, and removes later ones.
func TestSnapshot(t *testing.T) {
	f := newFactory(t)
	s, is := f.Direct(t).(*Store)
	if !is {
		t.Fatal("want a Store of this package")
	}
	defer s.Close()
	put := func(key, value string) {
		var tx store.Tx
		tx.Put(key, []byte(value))
		if _, err := s.Commit(t.Context(), &tx); err != nil {
			t.Fatal(err)
		}
	}
	put("/a", "1")
	in, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	saved, err := io.ReadAll(in)
	_ = in.Close()
	if err != nil || !bytes.HasPrefix(saved, []byte{0x1f, 0x8b}) {
		t.Fatalf("want a compressed archive (RFC 1952), got %d bytes, %v", len(saved), err)
	}
	put("/a", "2")
	put("/b", "later")
	if err := s.Restore(t.Context(), bytes.NewReader(saved)); err != nil {
		t.Fatal(err)
	}
	err = storetest.Eventually(10*time.Second, func() error {
		a, err := s.Read(t.Context(), "/a")
		if err == nil && string(a.Value) != "1" {
			err = errors.New("/a is " + string(a.Value))
		}
		return err
	})
	if err != nil {
		t.Errorf("want the saved value, got %v", err)
	}
	if _, err := s.Read(t.Context(), "/b"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a later key: want it deleted, got %v", err)
	}
	if err := s.Restore(t.Context(), bytes.NewReader(saved[:len(saved)/2])); err == nil {
		t.Error("a truncated snapshot: want it refused")
	}
}
