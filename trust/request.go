// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Request asks an authority to certify a key (PKCS #10, RFC 2986). It names the hosts at which its sender is reached; the authority
// determines the identity.
type Request struct {
	request *x509.CertificateRequest
	key     crypto.Signer // nil if the request was made elsewhere
}

// NewRequest creates a key and a request for it. The hosts are the names and addresses at which the server is reached.
func NewRequest(hosts ...string) (*Request, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	template := &x509.CertificateRequest{}
	for _, h := range hosts {
		h = strings.TrimSuffix(strings.Trim(h, "[]"), ".")
		switch a, err := netip.ParseAddr(h); {
		case err == nil && !a.IsUnspecified():
			template.IPAddresses = append(template.IPAddresses, net.IP(a.Unmap().WithZone("").AsSlice()))
		case err != nil && h != "" && len(h) <= maxName && !strings.ContainsFunc(h, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	slices.Sort(template.DNSNames)
	template.DNSNames = slices.Compact(template.DNSNames)
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		return nil, fmt.Errorf("make a request for a certificate: %w", err)
	}
	r, err := x509.ParseCertificateRequest(der)
	return &Request{r, key}, err
}

// maxHosts is the maximum number of names and addresses in a request.
const maxHosts = 64

// ParseRequest reads a request, PEM, and verifies that its sender has the key.
func ParseRequest(text []byte) (*Request, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, errors.New("it is not a certificate request (PEM, PKCS #10)")
	}
	r, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, err
	}
	if public, ok := r.PublicKey.(*ecdsa.PublicKey); !ok || public.Curve != elliptic.P256() || r.SignatureAlgorithm != x509.ECDSAWithSHA256 { // verifying other signatures can take minutes
		return nil, fmt.Errorf("its key: got %s, signed by %s, want ECDSA on P-256, signed with SHA-256", r.PublicKeyAlgorithm, r.SignatureAlgorithm)
	}
	if err := r.CheckSignature(); err != nil {
		return nil, fmt.Errorf("it is not signed with its own key: %w", err)
	}
	if len(r.DNSNames)+len(r.IPAddresses) > maxHosts {
		return nil, fmt.Errorf("it has %d names and addresses; the maximum is %d", len(r.DNSNames)+len(r.IPAddresses), maxHosts)
	}
	return &Request{request: r}, nil
}

// PEM encodes the request.
func (r *Request) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: r.request.Raw})
}

// Pair returns a certificate that was issued for the request, and the request's key, in one PEM text. It is an error if the
// certificate is for another key, or if the request was made elsewhere.
func (r *Request) Pair(certificate []byte) ([]byte, error) {
	if r.key == nil {
		return nil, errors.New("the request was made elsewhere: its key is not available")
	}
	all, err := ParseCertificates(certificate)
	if err != nil {
		return nil, err
	}
	if public, ok := all[0].PublicKey.(*ecdsa.PublicKey); !ok || !public.Equal(r.key.Public()) {
		return nil, errors.New("the certificate is for another key than the request")
	}
	key, err := keyPEM(r.key)
	return append(CertificatePEM(all...), key...), err
}

// names returns the hosts of the request, without the name that netmasters share: a request cannot claim it.
func (r *Request) names() (names []string, addresses []net.IP) {
	names = slices.DeleteFunc(slices.Clone(r.request.DNSNames), func(n string) bool {
		return strings.EqualFold(strings.TrimSuffix(n, "."), MasterName) || strings.Contains(n, "*")
	})
	return names, r.request.IPAddresses
}

// Hosts returns the names and addresses at which the sender of the request can be reached, according to the request.
func (r *Request) Hosts() []string {
	names, addresses := r.names()
	for _, a := range addresses {
		names = append(names, a.String())
	}
	return names
}
