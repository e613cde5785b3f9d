// SPDX-License-Identifier: Apache-2.0

// Command provider is an OpenID provider for tests. It serves TLS at -listen with a certificate that it makes, writes the certificate to
// -ca, and prints its URL when it answers. Its users are ann, of the group network, and bob, of none, with the password "correct horse".
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address")
	ca := flag.String("ca", "", "file for the certificate")
	flag.Parse()
	if err := run(*listen, *ca); err != nil {
		fmt.Fprintln(os.Stderr, "provider:", err)
		os.Exit(1)
	}
}

func run(listen, ca string) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	pair, certificate, err := certify()
	if err != nil {
		return err
	}
	if err := os.WriteFile(ca, certificate, 0o600); err != nil {
		return err
	}
	storage.RegisterClients(
		storage.NativeClient("netmaster", "http://127.0.0.1/callback"),
		storage.NativeClient("other", "http://127.0.0.1/callback"),
		storage.WebClient("confidential", "open sesame", "http://127.0.0.1:7654/callback"),
	)
	issuer := "https://" + l.Addr().String()
	handler := exampleop.SetupServer(issuer, &claiming{storage.NewStorage(people{})}, slog.New(slog.NewTextHandler(os.Stderr, nil)), false)
	server := &http.Server{Handler: handler, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}, ReadHeaderTimeout: 10 * time.Second}
	fmt.Println(issuer)
	if err := server.ServeTLS(l, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// certify makes a certificate of 127.0.0.1 that is its own authority.
func certify() (pair tls.Certificate, text []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair, nil, err
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "provider"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		return pair, nil, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}
