// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/netip"
	"time"
)

// lifetime of keys; a lab does not live as long.
const lifetime = 10 * 365 * 24 * time.Hour

// Authority is the CA of a cluster.
type Authority struct {
	PEM  []byte // its own certificate
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Pair is a certificate and its key, as PEM.
type Pair struct{ Cert, Key []byte }

// NewAuthority returns an authority with a key of its own.
func NewAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	cert := template(pkix.Name{CommonName: name})
	cert.IsCA, cert.BasicConstraintsValid, cert.KeyUsage = true, true, x509.KeyUsageCertSign|x509.KeyUsageDigitalSignature
	raw, err := x509.CreateCertificate(rand.Reader, cert, cert, key.Public(), key)
	if err != nil {
		return nil, err
	}
	if cert, err = x509.ParseCertificate(raw); err != nil {
		return nil, err
	}
	return &Authority{PEM: encode("CERTIFICATE", raw), cert: cert, key: key}, nil
}

// Client returns a user's certificate: its name, and its groups.
func (a *Authority) Client(name string, groups ...string) (Pair, error) {
	cert := template(pkix.Name{CommonName: name, Organization: groups})
	cert.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(cert)
}

// Server returns a server's certificate for these names and addresses.
func (a *Authority) Server(names []string, addresses []netip.Addr) (Pair, error) {
	cert := template(pkix.Name{CommonName: names[0]})
	cert.ExtKeyUsage, cert.DNSNames = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, names
	for _, address := range addresses {
		cert.IPAddresses = append(cert.IPAddresses, address.AsSlice())
	}
	return a.sign(cert)
}

func (a *Authority) sign(cert *x509.Certificate) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	raw, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key.Public(), a.key)
	if err != nil {
		return Pair{}, err
	}
	text, err := encodeKey(key)
	return Pair{encode("CERTIFICATE", raw), text}, err
}

// newKey returns a key without a certificate, as PEM.
func newKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return encodeKey(key)
}

func template(subject pkix.Name) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // it fails only for a maximum of 0
	return &x509.Certificate{SerialNumber: serial, Subject: subject, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lifetime),
		KeyUsage: x509.KeyUsageDigitalSignature}
}

func encode(kind string, raw []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw})
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	raw, err := x509.MarshalECPrivateKey(key)
	return encode("EC PRIVATE KEY", raw), err
}
