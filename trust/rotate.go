// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// previousKeyFile is the key of an authority that is being replaced: it opens secrets that the authority has sealed.
const previousKeyFile = "ca.key.previous"

// PreviousKeyFile returns the path of the key of the authority that is being replaced.
func (d Dir) PreviousKeyFile() string { return filepath.Join(string(d), previousKeyFile) }

// SignerOf returns the fingerprint of the authority that has signed a certificate, or "" if none of trusted has.
func SignerOf(c *x509.Certificate, trusted []*x509.Certificate) string {
	for _, a := range trusted {
		if c.CheckSignatureFrom(a) == nil {
			return Fingerprint(a)
		}
	}
	return ""
}

// Fingerprints returns the fingerprints of certificates.
func Fingerprints(all []*x509.Certificate) (out []string) {
	for _, c := range all {
		out = append(out, Fingerprint(c))
	}
	return out
}

// TrustAlso adds an authority to those that the directory trusts. It is idempotent.
func (d Dir) TrustAlso(next []byte) error {
	text, err := d.Trusted()
	if err != nil {
		return err
	}
	all, err := ParseCertificates(text)
	if err != nil {
		return fmt.Errorf("read %s: %w", d.AuthorityFile(), err)
	}
	more, err := ParseCertificates(next)
	if err != nil {
		return fmt.Errorf("the next authority: %w", err)
	}
	known := Fingerprints(all)
	for _, c := range more {
		if !slices.Contains(known, Fingerprint(c)) {
			all = append(all, c)
		}
	}
	if len(all) == len(known) {
		return nil
	}
	return d.write(d.AuthorityFile(), CertificatePEM(all...), 0o644)
}

// SignBy makes an authority that the directory already trusts the signing one. It keeps the previous key to open secrets that it
// has sealed. A directory without a key does not change. SignBy is idempotent, also after an interruption.
func (d Dir) SignBy(next, key []byte) error {
	a, err := ParseAuthority(next, key)
	if err != nil {
		return fmt.Errorf("the next authority: %w", err)
	}
	if err := d.TrustAlso(next); err != nil {
		return err
	}
	was, err := os.ReadFile(d.KeyFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	now, err := d.Authority()
	if err != nil || now.Fingerprint() == a.Fingerprint() {
		return err
	}
	if err := d.write(d.PreviousKeyFile(), was, 0o600); err != nil {
		return err
	}
	return d.write(d.KeyFile(), key, 0o600)
}

// TrustOnly removes all authorities but one from those that the directory trusts. It returns an error if another authority has
// issued the directory's key or a certificate in it.
func (d Dir) TrustOnly(next []byte) error {
	all, err := ParseCertificates(next)
	if err != nil {
		return fmt.Errorf("the next authority: %w", err)
	}
	if key, err := os.ReadFile(d.KeyFile()); err == nil {
		if _, err := ParseAuthority(next, key); err != nil {
			return fmt.Errorf("%s: %w", d.KeyFile(), err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, role := range []Role{Master, Agent, User, Monitor} {
		held, err := Open(d, role)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if SignerOf(held.Certificate(), all) == "" {
			return fmt.Errorf("the certificate of %s in %s is of another authority: renew it with contiv cert renew %s", held.Identity(), d.PairFile(role), role)
		}
	}
	if was, err := d.Trusted(); err != nil || !bytes.Equal(was, CertificatePEM(all...)) {
		if err := d.write(d.AuthorityFile(), CertificatePEM(all...), 0o644); err != nil {
			return err
		}
	}
	if err := os.Remove(d.PreviousKeyFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Seal returns the seal of the directory's authority. During a replacement it also opens what the previous authority has sealed.
// The error is fs.ErrNotExist if the directory does not have the key.
func (d Dir) Seal() (*Seal, error) {
	a, err := d.Authority()
	if err != nil {
		return nil, err
	}
	seal, err := a.Seal()
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(d.PreviousKeyFile())
	if errors.Is(err, fs.ErrNotExist) {
		return seal, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := d.Trusted()
	if err != nil {
		return nil, err
	}
	before, err := ParseAuthority(text, key)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", d.PreviousKeyFile(), err)
	}
	seal.before, err = before.Seal()
	return seal, err
}

// Adopt makes the holder trust the authorities that a netmaster has sent, PEM, and reports whether they differ from the previous
// ones. It refuses a list that does not include the authority of the holder's own certificate: every reader of that list would
// refuse the holder.
func (h *Holder) Adopt(trusted []byte) (changed bool, err error) {
	all, err := ParseCertificates(trusted)
	if err != nil {
		return false, fmt.Errorf("authorities: %w", err)
	}
	for _, c := range all {
		if !c.IsCA {
			return false, fmt.Errorf("authorities: the certificate of %q is not a CA certificate", c.Subject)
		}
	}
	now := h.current()
	want, has := Fingerprints(all), Fingerprints(now.trusted)
	slices.Sort(want)
	slices.Sort(has)
	if slices.Equal(slices.Compact(want), slices.Compact(has)) {
		return false, nil
	}
	if SignerOf(now.pair.Leaf, all) == "" {
		return false, fmt.Errorf("authorities: none of the %d from netmaster has certified %s: renew its certificate first", len(all), now.identity)
	}
	if err := h.dir.write(h.dir.AuthorityFile(), CertificatePEM(all...), 0o644); err != nil {
		return false, err
	}
	return true, h.Reload()
}

// Signer returns the fingerprint of the authority that has certified the holder.
func (h *Holder) Signer() string {
	now := h.current()
	return SignerOf(now.pair.Leaf, now.trusted)
}
