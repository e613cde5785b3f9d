// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestIssue(t *testing.T) {
	s := newStand(t)
	r, err := NewRequest("192.0.2.1", "h1.example.org", "[2001:db8::1]", "0.0.0.0", "", "*.example.org", MasterName)
	if err != nil {
		t.Fatal(err)
	}
	came, err := ParseRequest(r.PEM())
	if err != nil {
		t.Fatal(err)
	}
	for role, want := range map[Role]string{Agent: "h1.example.org 192.0.2.1 2001:db8::1", Master: "h1.example.org " + MasterName + " 192.0.2.1 2001:db8::1", User: "", Monitor: ""} {
		c, err := s.authority.Issue(came, Identity{role, "x"}, time.Now(), Lifetime)
		if err != nil {
			t.Fatal(err)
		}
		names := c.DNSNames
		for _, a := range c.IPAddresses {
			names = append(names, a.String())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: want the hosts %q, got %q", role, want, got)
		}
		if serves := slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageServerAuth); serves != (want != "") {
			t.Errorf("%s: serves: %v", role, serves)
		}
		if _, err := r.Pair(CertificatePEM(c)); err != nil {
			t.Errorf("%s: %v", role, err)
		}
		if _, err := came.Pair(CertificatePEM(c)); err == nil {
			t.Errorf("%s: want no pair without the key", role)
		}
	}
	other, err := NewRequest()
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.authority.Issue(came, Identity{Agent, "x"}, time.Now(), Lifetime)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Pair(CertificatePEM(c)); err == nil {
		t.Error("want no pair with another request's key")
	}
	if _, err := s.authority.Issue(came, Identity{"root", "x"}, time.Now(), Lifetime); err == nil {
		t.Error("want no certificate for an unknown role")
	}
	if _, err := s.authority.Issue(came, Identity{Agent, "x"}, time.Now().Add(2*AuthorityLifetime), Lifetime); err == nil {
		t.Error("want no certificate of an authority that has expired")
	}
}

// An authority is read back from its directory; the key of another authority is refused.
func TestAuthority(t *testing.T) {
	s, other, d := newStand(t), newStand(t), Dir(t.TempDir())
	certificate, key, err := s.authority.PEM()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.SaveAuthority(certificate, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Authority(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("want no authority without its key, got %v", err)
	}
	if err := d.SaveAuthority(certificate, key); err != nil {
		t.Fatal(err)
	}
	if a, err := d.Authority(); err != nil || a.Fingerprint() != s.authority.Fingerprint() {
		t.Errorf("want the authority again, got %v", err)
	}
	_, foreign, err := other.authority.PEM()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseAuthority(certificate, foreign); err == nil {
		t.Error("want no authority of another's key")
	}
	if err := d.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Trusted(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("want nothing left, got %v", err)
	}
}

func FuzzParseRequest(f *testing.F) {
	r, err := NewRequest("h1")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(r.PEM())
	f.Add([]byte("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"))
	a, err := NewAuthority(time.Now())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseRequest(text)
		if err != nil {
			return
		}
		c, err := a.Issue(r, Identity{Agent, "h1"}, time.Now(), Lifetime)
		if err != nil {
			return
		}
		if i, err := Of(c); err != nil || i != (Identity{Agent, "h1"}) || slices.Contains(c.DNSNames, MasterName) || c.IsCA {
			t.Errorf("the request decided what it is certified as: %v, %v", c.URIs, err)
		}
	})
}

func FuzzParseAuthority(f *testing.F) {
	a, err := NewAuthority(time.Now())
	if err != nil {
		f.Fatal(err)
	}
	certificate, key, err := a.PEM()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(certificate, key)
	f.Fuzz(func(t *testing.T, certificate, key []byte) {
		if a, err := ParseAuthority(certificate, key); err == nil && !a.certificate.IsCA {
			t.Error("got an authority that is not a CA")
		}
	})
}

// A key of another type than ECDSA on P-256 is refused before its signature is verified, which takes minutes for a large RSA key.
func TestParseRequest_Kinds(t *testing.T) {
	large, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]crypto.Signer{"RSA": large, "P-384": p384, "Ed25519": ed} {
		der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
		if err != nil {
			t.Fatal(err)
		}
		der[len(der)-1] ^= 1 // the signature is wrong too
		if _, err := ParseRequest(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})); err == nil || !strings.Contains(err.Error(), "want ECDSA on P-256") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
