package open

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// STO-01: store addresses that are none are refused; where nothing listens, the first request says so.
func TestAddresses(t *testing.T) {
	for _, c := range []Config{
		{Etcd: []string{"invalid"}}, {Etcd: []string{"invalid://localhost:2379"}}, {Etcd: []string{"etcd:/localhost:2379"}},
		{Etcd: []string{"consul://localhost:8500"}}, {Consul: []string{"invalid"}}, {Consul: []string{"etcd://localhost:2379"}},
		{Etcd: []string{"etcd://localhost:1"}, Consul: []string{"consul://localhost:1"}},
	} {
		if err := c.Check(); err == nil {
			t.Errorf("%+v: want an error", c)
		} else if !strings.Contains(err.Error(), "endpoint") {
			t.Errorf("%+v: the error must name the flag or the endpoint, got %v", c, err)
		}
	}
	for _, c := range []Config{{Etcd: []string{"etcd://localhost"}}, {Etcd: []string{"etcd://localhost:1"}}, {Consul: []string{"consul://localhost:1"}}} {
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		s, err := Open(c, slog.New(slog.DiscardHandler))
		if err != nil {
			continue // refused at once
		}
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		if _, err := s.Read(ctx, "/contiv.io/x"); err == nil || errors.Is(err, store.ErrNotFound) {
			t.Errorf("%+v: want an error of the store, got %v", c, err)
		}
		cancel()
		_ = s.Close()
	}
	two := Config{Embedded: true, Consul: []string{"consul://localhost:1"}}
	if err := two.Check(); err == nil || err.Error() != "--embedded-store and --consul-endpoints exclude each other: name one store" {
		t.Errorf("two stores: want both named, got %v", err)
	}
	one := Config{Consul: []string{"consul://localhost:1"}}
	if err := one.Check(); err != nil || !slices.Equal(one.URLs(), []string{"http://localhost:1"}) {
		t.Errorf("one store: want its URL, got %v, %v", one.URLs(), err)
	}
	none := Config{}
	if err := none.Check(); err != nil || len(none.Etcd) != 1 || none.Etcd[0] != DefaultEtcd {
		t.Errorf("no address: want %s, got %+v, %v", DefaultEtcd, none, err)
	}
}
