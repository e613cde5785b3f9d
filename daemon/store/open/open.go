// Package open turns what a daemon is told about its store into a store.Store.
package open

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/consul"
	"github.com/contiv/contiv/daemon/store/etcd"
)

// Config names a store.
type Config struct {
	Etcd, Consul              []string // URLs; at most one of the two
	CertFile, KeyFile, CAFile string   // PEM; empty: none, none, the system's
	Embedded                  bool     // the store runs in the process; no URLs are needed
}

// DefaultEtcd is the store when none is named.
const DefaultEtcd = "http://127.0.0.1:2379"

// Check checks the names and fills in the default.
func (c *Config) Check() error {
	if len(c.Etcd) > 0 && len(c.Consul) > 0 {
		return errors.New("--etcd-endpoints and --consul-endpoints exclude each other: name one store")
	}
	if c.Embedded && (len(c.Etcd) > 0 || len(c.Consul) > 0) {
		return errors.New("--embedded-store excludes --etcd-endpoints and --consul-endpoints: name one store")
	}
	if !c.Embedded && len(c.Etcd) == 0 && len(c.Consul) == 0 {
		c.Etcd = []string{DefaultEtcd}
	}
	for _, s := range []struct {
		urls   []string
		scheme string
	}{{c.Etcd, "etcd://"}, {c.Consul, "consul://"}} {
		for i, u := range s.urls {
			switch {
			case strings.HasPrefix(u, "http://"), strings.HasPrefix(u, "https://"):
			case strings.HasPrefix(u, s.scheme):
				s.urls[i] = "http://" + strings.TrimPrefix(u, s.scheme)
			default:
				return fmt.Errorf("store endpoint %q: it starts with http://, https:// or %s", u, s.scheme)
			}
		}
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		return errors.New("--store-cert and --store-key go together: give both or none")
	}
	return nil
}

// Open connects. It does not wait for the store to answer.
func Open(c Config, log *slog.Logger) (store.Store, error) {
	secure, err := c.TLS()
	if err != nil {
		return nil, err
	}
	if len(c.Consul) > 0 {
		return consul.Open(consul.Config{Endpoints: c.Consul, TLS: secure})
	}
	return etcd.Open(etcd.Config{Endpoints: c.Etcd, TLS: secure, Log: log})
}

// TLS reads the certificates; nil when none are named.
func (c *Config) TLS() (*tls.Config, error) {
	if c.CertFile == "" && c.CAFile == "" {
		return nil, nil
	}
	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("--store-cert: %w", err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	if c.CAFile != "" {
		text, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("--store-ca: %w", err)
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--store-ca %s holds no PEM certificate", c.CAFile)
		}
	}
	return out, nil
}
