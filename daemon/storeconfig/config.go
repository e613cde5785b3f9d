// SPDX-License-Identifier: Apache-2.0

// Package storeconfig has the flags of a daemon's store: its URLs and credentials. It opens none.
package storeconfig

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Config names a store.
type Config struct {
	Etcd, Consul              []string // URLs; at most one of the two
	CertFile, KeyFile, CAFile string   // PEM; empty: none, none, the system's, or Own's
	// Own is the daemon's TLS configuration for netmasters of its cluster, which also run the embedded store. It applies to a store at
	// https URLs without files. nil: there is none.
	Own      *tls.Config
	Secret   Secret
	Embedded bool // the store runs in the process; no URLs are needed
	Optional bool // without URLs there is none
}

// Driver is a kind of store outside the daemons. Its flag is --NAME-endpoints, and its URLs may start with NAME:// too.
type Driver struct {
	Name, Usage string
	URLs        *[]string // of the Config
}

// Drivers returns all drivers, with the URLs of the configuration.
func (c *Config) Drivers() []Driver {
	return []Driver{{"etcd", "URLs of all etcd members", &c.Etcd}, {"consul", "URLs of Consul agents", &c.Consul}}
}

// URLs returns the URLs of the configured store, none for an embedded one.
func (c *Config) URLs() (out []string) {
	for _, d := range c.Drivers() {
		out = append(out, *d.URLs...)
	}
	return out
}

// DefaultEtcd is the default store.
const DefaultEtcd = "http://127.0.0.1:2379"

// Check checks the configuration and sets the default.
func (c *Config) Check() error {
	named := []string{}
	if c.Embedded {
		named = append(named, "--embedded-store")
	}
	for _, d := range c.Drivers() {
		if len(*d.URLs) > 0 {
			named = append(named, "--"+d.Name+"-endpoints")
		}
	}
	switch {
	case len(named) > 1:
		return fmt.Errorf("%s exclude each other: name one store", strings.Join(named, " and "))
	case len(named) == 0 && !c.Optional:
		c.Etcd = []string{DefaultEtcd}
	}
	for _, d := range c.Drivers() {
		scheme := d.Name + "://"
		for i, u := range *d.URLs {
			switch {
			case strings.HasPrefix(u, "http://"), strings.HasPrefix(u, "https://"):
			case strings.HasPrefix(u, scheme):
				(*d.URLs)[i] = "http://" + strings.TrimPrefix(u, scheme)
			default:
				return fmt.Errorf("store endpoint: got %q, want one that starts with http://, https:// or %s", u, scheme)
			}
		}
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		return errors.New("--store-cert and --store-key must be set together: set both or none")
	}
	return c.Secret.check(c)
}

// TLS reads the certificates; Own, which may be nil, if none are configured.
func (c *Config) TLS() (*tls.Config, error) {
	if c.CertFile == "" && c.CAFile == "" {
		return c.Own, nil
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
