// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/contiv/contiv/daemon/store"
)

// authority issues certificates for one test.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	a.cert, a.key = a.issue(t, "ca", nil, nil)
	return a
}

// issue writes NAME.pem and NAME.key, signed by the parent, or by itself without one.
func (a *authority) issue(t *testing.T, name string, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: parent == nil,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if parent == nil {
		parent, parentKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".pem": {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(a.dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// serveTLS starts an etcd that requires client certificates of the authority.
func (a *authority) serveTLS(t *testing.T) string {
	t.Helper()
	a.issue(t, "server", a.cert, a.key)
	var urls []url.URL
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, url.URL{Scheme: "https", Host: l.Addr().String()})
		_ = l.Close()
	}
	urls[1].Scheme = "http"
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.LogOutputs = t.TempDir(), "fatal", []string{"/dev/null"}
	c.ListenClientUrls, c.AdvertiseClientUrls = urls[:1], urls[:1]
	c.ListenPeerUrls, c.AdvertisePeerUrls = urls[1:], urls[1:]
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.ClientTLSInfo = transport.TLSInfo{CertFile: a.file("server.pem"), KeyFile: a.file("server.key"), TrustedCAFile: a.file("ca.pem"), ClientCertAuth: true}
	e, err := embed.StartEtcd(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	<-e.Server.ReadyNotify()
	return urls[0].String()
}

func TestTLS(t *testing.T) {
	a := newAuthority(t)
	endpoint := a.serveTLS(t)
	a.issue(t, "client", a.cert, a.key)
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	pair, err := tls.LoadX509KeyPair(a.file("client.pem"), a.file("client.key"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		config *tls.Config
		works  bool
	}{
		{"with a certificate", &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, true},
		{"without a certificate", &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, false},
		{"without the authority", nil, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := Open(Config{Endpoints: []string{endpoint}, TLS: test.config, Timeout: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			tx := &store.Tx{}
			tx.Put("/tls", []byte("x"))
			_, err = s.Commit(context.Background(), tx)
			if test.works && err != nil || !test.works && !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("want success %v, got %v", test.works, err)
			}
		})
	}
}
