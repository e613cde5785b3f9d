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

// Request asks an authority to certify a key (PKCS #10, RFC 2986). The authority decides the identity; the request has the hosts of its
// sender.
type Request struct {
	request *x509.CertificateRequest
	key     crypto.Signer // of one that was made here; nil of one that came
}

// NewRequest makes a new key and a request for it, of a server that is reached under hosts, which are names or addresses.
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

// maxHosts bounds the names and addresses of a request.
const maxHosts = 64

// ParseRequest reads a request, PEM, whose sender has the key that it is about.
func ParseRequest(text []byte) (*Request, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, errors.New("it is no request for a certificate (PEM, PKCS #10)")
	}
	r, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, err
	}
	if public, ok := r.PublicKey.(*ecdsa.PublicKey); !ok || public.Curve != elliptic.P256() || r.SignatureAlgorithm != x509.ECDSAWithSHA256 { // others can take minutes to check
		return nil, fmt.Errorf("its key is of another kind (%s, signed by %s) than those that are certified: ECDSA on P-256, signed with SHA-256", r.PublicKeyAlgorithm, r.SignatureAlgorithm)
	}
	if err := r.CheckSignature(); err != nil {
		return nil, fmt.Errorf("it is not signed with its own key: %w", err)
	}
	if len(r.DNSNames)+len(r.IPAddresses) > maxHosts {
		return nil, fmt.Errorf("it has %d names and addresses; %d are permitted", len(r.DNSNames)+len(r.IPAddresses), maxHosts)
	}
	return &Request{request: r}, nil
}

// PEM is the request as it is sent.
func (r *Request) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: r.request.Raw})
}

// Pair is what a holder keeps: a certificate that was issued for the request, and the key, in one PEM text. It is an error when the certificate
// is for another key, or the request was made elsewhere.
func (r *Request) Pair(certificate []byte) ([]byte, error) {
	if r.key == nil {
		return nil, errors.New("the key of the request is not here")
	}
	all, err := ParseCertificates(certificate)
	if err != nil {
		return nil, err
	}
	if public, ok := all[0].PublicKey.(*ecdsa.PublicKey); !ok || !public.Equal(r.key.Public()) {
		return nil, errors.New("the certificate is for another key than was asked for")
	}
	key, err := keyPEM(r.key)
	return append(CertificatePEM(all...), key...), err
}

// names are the hosts of the request. The name that netmasters share is not for the asking.
func (r *Request) names() (names []string, addresses []net.IP) {
	names = slices.DeleteFunc(slices.Clone(r.request.DNSNames), func(n string) bool {
		return strings.EqualFold(strings.TrimSuffix(n, "."), MasterName) || strings.Contains(n, "*")
	})
	return names, r.request.IPAddresses
}

// Hosts are the names and addresses under which the request's sender says to be reached.
func (r *Request) Hosts() []string {
	names, addresses := r.names()
	for _, a := range addresses {
		names = append(names, a.String())
	}
	return names
}
