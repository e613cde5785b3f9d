// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"time"
)

// How long certificates are valid.
const (
	AuthorityLifetime = 10 * 365 * 24 * time.Hour
	Lifetime          = 14 * 24 * time.Hour // of the certificates that an authority issues; holders renew after half of it
	backdateLeast     = 5 * time.Minute     // tolerates hosts whose clocks differ a little
)

// Authority is the certificate authority of a cluster. It is immutable.
type Authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// NewAuthority returns an authority with a new key (ECDSA, P-256), valid from now.
func NewAuthority(now time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: newSerial(), Subject: pkix.Name{Organization: []string{"Contiv"}, CommonName: "contiv cluster " + now.UTC().Format("2006-01-02")},
		NotBefore: now.Add(-backdate(AuthorityLifetime)), NotAfter: now.Add(AuthorityLifetime),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	c, err := x509.ParseCertificate(der)
	return &Authority{c, key}, err
}

// ParseAuthority reads an authority's certificate and key, both PEM. Of several certificates, it selects the one that belongs to
// the key.
func ParseAuthority(certificates, key []byte) (*Authority, error) {
	all, err := ParseCertificates(certificates)
	if err != nil {
		return nil, err
	}
	signer, err := parseKey(key)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if public, ok := c.PublicKey.(interface{ Equal(crypto.PublicKey) bool }); ok && public.Equal(signer.Public()) {
			if !c.IsCA {
				return nil, fmt.Errorf("the certificate of %q is not a CA certificate", c.Subject)
			}
			return &Authority{c, signer}, nil
		}
	}
	return nil, errors.New("no certificate of the authority belongs to the key")
}

// PEM returns the authority's certificate and its key, which only netmasters keep.
func (a *Authority) PEM() (certificate, key []byte, err error) {
	key, err = keyPEM(a.key)
	return CertificatePEM(a.certificate), key, err
}

// Fingerprint returns the SHA-256 of the authority's public key, in hexadecimal (as RFC 7469 pins keys). It identifies the
// authority to hosts that do not have its certificate yet.
func (a *Authority) Fingerprint() string { return Fingerprint(a.certificate) }

// Fingerprint returns the SHA-256 of a certificate's public key, in hexadecimal.
func Fingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return hex.EncodeToString(sum[:])
}

// Issue returns a certificate for a request's key and hosts, with an identity, valid from now for a lifetime, at most until the
// authority expires. It ignores everything else in the request.
func (a *Authority) Issue(r *Request, who Identity, now time.Time, lifetime time.Duration) (*x509.Certificate, error) {
	if err := who.Check(); err != nil {
		return nil, err
	}
	until := now.Add(lifetime)
	if until.After(a.certificate.NotAfter) {
		until = a.certificate.NotAfter
	}
	if !now.Before(until) {
		return nil, fmt.Errorf("the cluster's authority expired at %s: replace it", a.certificate.NotAfter.Format(time.RFC3339))
	}
	template := &x509.Certificate{
		SerialNumber: newSerial(), Subject: pkix.Name{Organization: []string{"Contiv"}, OrganizationalUnit: []string{string(who.Role)}, CommonName: who.Name},
		NotBefore: now.Add(-backdate(until.Sub(now))), NotAfter: until, URIs: []*url.URL{who.URI()}, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if who.Role == Master || who.Role == Agent {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
		template.DNSNames, template.IPAddresses = r.names()
	}
	if who.Role == Master {
		template.DNSNames = append(template.DNSNames, MasterName)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, r.request.PublicKey, a.key)
	if err != nil {
		return nil, fmt.Errorf("certify %s: %w", who, err)
	}
	return x509.ParseCertificate(der)
}

// MasterName is a DNS name that the certificate of every netmaster has, and no other certificate. The members of an embedded store
// recognize each other and their clients by it.
const MasterName = "master.contiv.internal"

// newSerial returns a random serial number (RFC 5280, section 4.1.2.2).
func newSerial() *big.Int {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	b[0] &= 0x7f
	return new(big.Int).SetBytes(b)
}

// Serial returns a certificate's serial number in hexadecimal, as lists and revocations name the certificate.
func Serial(c *x509.Certificate) string { return c.SerialNumber.Text(16) }

// ParseCertificates reads one or more certificates, PEM. It is an error if there is none.
func ParseCertificates(text []byte) (out []*x509.Certificate, err error) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, errors.New("got no certificate, want one or more (PEM)")
	}
	return out, nil
}

func parseKey(text []byte) (crypto.Signer, error) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return nil, errors.New("got no private key, want one (PEM, PKCS #8)")
		}
		var key any
		var err error
		switch block.Type {
		case "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		case "EC PRIVATE KEY":
			key, err = x509.ParseECPrivateKey(block.Bytes)
		case "RSA PRIVATE KEY":
			key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		if s, ok := key.(crypto.Signer); ok {
			return s, nil
		}
		return nil, fmt.Errorf("got a key of type %T, want one that can sign", key)
	}
}

// CertificatePEM encodes certificates as PEM.
func CertificatePEM(all ...*x509.Certificate) (out []byte) {
	for _, c := range all {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
	return out
}

func keyPEM(key crypto.Signer) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// backdate returns how long before its issue a certificate's validity begins: a day if the lifetime is 14 days or more, so that the
// agent of a host whose clock is behind can connect and report it. For a shorter lifetime it is less, so that the renewal is not
// due at once.
func backdate(lifetime time.Duration) time.Duration {
	return min(24*time.Hour, max(backdateLeast, lifetime/14))
}
