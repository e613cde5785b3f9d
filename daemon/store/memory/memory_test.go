// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// factory is a store whose clients of Open are disconnected together.
type factory struct {
	root    *Store
	clients []*Store
}

func (f *factory) Open(testing.TB) store.Store {
	c := f.root.Open()
	f.clients = append(f.clients, c)
	return c
}

func (f *factory) Direct(testing.TB) store.Store { return f.root.Open() }

func (f *factory) Away(testing.TB) {
	for _, c := range f.clients {
		c.Away()
	}
}

func (f *factory) Back(testing.TB) {
	for _, c := range f.clients {
		c.Back()
	}
}

// Restart keeps the data, which are in this process.
func (f *factory) Restart(tb testing.TB) { f.Away(tb); f.Back(tb) }

func (f *factory) Compact(testing.TB)      { f.root.Compact() }
func (f *factory) LeaseTTL() time.Duration { return 200 * time.Millisecond }

func TestConformance(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.Factory { return &factory{root: New()} })
}

func TestObserve(t *testing.T) { storetest.Observe(t, &factory{root: New()}) }

func TestLoseAnswers(t *testing.T) {
	s := New()
	s.LoseAnswers(1)
	var tx store.Tx
	tx.Put("a", []byte("1"))
	if _, err := s.Commit(context.Background(), &tx); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("want %v, got %v", store.ErrUnavailable, err)
	}
	if i, err := s.Read(context.Background(), "a"); err != nil || string(i.Value) != "1" {
		t.Errorf("want the commit applied, got %q (%v)", i.Value, err)
	}
	if _, err := s.Commit(context.Background(), &tx); err != nil {
		t.Errorf("next commit: want no error, got %v", err)
	}
}
