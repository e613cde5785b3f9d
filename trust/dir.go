// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/fileowner"
)

// DefaultDir is the directory of a host's certificates and keys.
const DefaultDir = "/etc/contiv/trust"

// Dir is a directory of certificates and keys:
//
//	ca.crt      the certificates of the cluster's authority; several during a replacement
//	ca.key      its key, on hosts with a netmaster; ca.key.previous during a replacement
//	ROLE.pem    the certificate and the key of the host's netmaster, agent or user
//	revoked.crl the revoked certificates, on hosts with a netmaster: for its embedded store
type Dir string

// File names.
const (
	authorityFile    = "ca.crt"
	authorityKeyFile = "ca.key"
	revokedFile      = "revoked.crl"
)

// AuthorityFile returns the path of the authority's certificates.
func (d Dir) AuthorityFile() string { return filepath.Join(string(d), authorityFile) }

// KeyFile returns the path of the authority's key.
func (d Dir) KeyFile() string { return filepath.Join(string(d), authorityKeyFile) }

// RevokedFile returns the path of the list of revoked certificates.
func (d Dir) RevokedFile() string { return filepath.Join(string(d), revokedFile) }

// PairFile returns the path of a role's certificate and key.
func (d Dir) PairFile(r Role) string { return filepath.Join(string(d), string(r)+".pem") }

// Has reports whether the directory has a certificate of a role.
func (d Dir) Has(r Role) bool {
	_, err := os.Stat(d.PairFile(r))
	return err == nil
}

// Trusted reads the authority's certificates as PEM.
func (d Dir) Trusted() ([]byte, error) { return os.ReadFile(d.AuthorityFile()) }

// Authority reads the authority with its key. The error is fs.ErrNotExist if the directory does not have the key.
func (d Dir) Authority() (*Authority, error) {
	certificates, err := d.Trusted()
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(d.KeyFile())
	if err != nil {
		return nil, err
	}
	a, err := ParseAuthority(certificates, key)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", d.KeyFile(), err)
	}
	return a, nil
}

// SaveAuthority writes the authority's certificates, and its key unless that is nil.
func (d Dir) SaveAuthority(certificates, key []byte) error {
	if key != nil {
		if err := d.write(d.KeyFile(), key, 0o600); err != nil {
			return err
		}
	}
	return d.write(d.AuthorityFile(), certificates, 0o644)
}

// SavePair writes a role's certificate and key, as Request.Pair encodes them.
func (d Dir) SavePair(r Role, pair []byte) error { return d.write(d.PairFile(r), pair, 0o600) }

// Certify creates a key, issues a certificate of an authority for it, and writes both into the directory. The hosts are the names
// and addresses at which the daemon listens.
func (d Dir) Certify(a *Authority, who Identity, now time.Time, hosts ...string) error {
	r, err := NewRequest(hosts...)
	if err != nil {
		return err
	}
	c, err := a.Issue(r, who, now, Lifetime)
	if err != nil {
		return err
	}
	pair, err := r.Pair(CertificatePEM(c))
	if err != nil {
		return err
	}
	return d.SavePair(who.Role, pair)
}

// Remove removes all certificates and keys of this host, including those of the authority.
func (d Dir) Remove() error {
	var all []error
	for _, path := range []string{d.AuthorityFile(), d.KeyFile(), d.PreviousKeyFile(), d.RevokedFile(), d.PairFile(Master), d.PairFile(Agent), d.PairFile(User), d.PairFile(Monitor)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// write replaces a file atomically, so that a reader finds the old or the new one.
func (d Dir) write(path string, text []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(string(d), 0o755); err != nil { // keys have their own modes; users read the authority's certificate
		return err
	}
	f, err := os.CreateTemp(string(d), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(text)
	if err = errors.Join(err, fileowner.Keep(f, path), f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
