// SPDX-License-Identifier: Apache-2.0

// Package open opens the store that the flags of a daemon name.
package open

import (
	"crypto/tls"
	"errors"
	"log/slog"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/consul"
	"github.com/contiv/contiv/daemon/store/etcd"
	"github.com/contiv/contiv/daemon/storeconfig"
)

// drivers returns the functions that open the stores of storeconfig.Drivers, by name.
func drivers() map[string]func(c *storeconfig.Config, secure *tls.Config, log *slog.Logger) (store.Store, error) {
	return map[string]func(*storeconfig.Config, *tls.Config, *slog.Logger) (store.Store, error){
		"etcd": func(c *storeconfig.Config, secure *tls.Config, log *slog.Logger) (store.Store, error) {
			password, err := c.Secret.Password()
			if err != nil {
				return nil, err
			}
			return etcd.Open(etcd.Config{Endpoints: c.Etcd, TLS: secure, Username: c.Secret.User, Password: password, Log: log})
		},
		"consul": func(c *storeconfig.Config, secure *tls.Config, _ *slog.Logger) (store.Store, error) {
			token, err := c.Secret.Token()
			if err != nil {
				return nil, err
			}
			return consul.Open(consul.Config{Endpoints: c.Consul, TLS: secure, Token: token})
		},
	}
}

// Open returns a client of the store. It waits for an answer only from an etcd that requires a user.
func Open(c storeconfig.Config, log *slog.Logger) (store.Store, error) {
	secure, err := c.TLS()
	if err != nil {
		return nil, err
	}
	for _, d := range c.Drivers() {
		if len(*d.URLs) > 0 {
			return drivers()[d.Name](&c, secure, log)
		}
	}
	return nil, errors.New("no store is named: give the URLs of one")
}
