// SPDX-License-Identifier: Apache-2.0

package open

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/storeconfig"
)

// STO-01: malformed store addresses are refused; if nothing listens, the first request reports it.
func TestAddresses(t *testing.T) {
	for _, c := range []storeconfig.Config{
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
	for _, c := range []storeconfig.Config{{Etcd: []string{"etcd://localhost"}}, {Etcd: []string{"etcd://localhost:1"}}, {Consul: []string{"consul://localhost:1"}}} {
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
	two := storeconfig.Config{Embedded: true, Consul: []string{"consul://localhost:1"}}
	if err := two.Check(); err == nil || err.Error() != "--embedded-store and --consul-endpoints exclude each other: name one store" {
		t.Errorf("two stores: want both named, got %v", err)
	}
	one := storeconfig.Config{Consul: []string{"consul://localhost:1"}}
	if err := one.Check(); err != nil || !slices.Equal(one.URLs(), []string{"http://localhost:1"}) {
		t.Errorf("one store: want its URL, got %v, %v", one.URLs(), err)
	}
	none := storeconfig.Config{}
	if err := none.Check(); err != nil || len(none.Etcd) != 1 || none.Etcd[0] != storeconfig.DefaultEtcd {
		t.Errorf("no address: want %s, got %+v, %v", storeconfig.DefaultEtcd, none, err)
	}
}

// Secrets are only for the store that requires them, and come from files with one line.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, two := file("good", "s3cret\n"), file("two", "a\nb\n")
	etcd, consul := []string{"http://127.0.0.1:1"}, []string{"http://127.0.0.1:1"}
	for name, c := range map[string]struct {
		config storeconfig.Config
		want   string // in the error of Check or Open; "": none
	}{
		"consul":                   {storeconfig.Config{Consul: consul, Secret: storeconfig.Secret{TokenFile: good}}, ""},
		"user without a password":  {storeconfig.Config{Etcd: etcd, Secret: storeconfig.Secret{User: "u"}}, "set together"},
		"user of Consul":           {storeconfig.Config{Consul: consul, Secret: storeconfig.Secret{User: "u", PasswordFile: good}}, "--store-token-file"},
		"token of etcd":            {storeconfig.Config{Etcd: etcd, Secret: storeconfig.Secret{TokenFile: good}}, "is for Consul"},
		"a file that there is not": {storeconfig.Config{Etcd: etcd, Secret: storeconfig.Secret{User: "u", PasswordFile: dir + "/none"}}, "--store-password-file"},
		"two lines":                {storeconfig.Config{Consul: consul, Secret: storeconfig.Secret{TokenFile: two}}, "one line with the secret"},
	} {
		err := c.config.Check()
		if err == nil {
			var s store.Store
			if s, err = Open(c.config, slog.New(slog.DiscardHandler)); err == nil {
				_ = s.Close()
			}
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: want %q, got %v", name, c.want, err)
		}
	}
}
