// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"
)

// Grace is how long after its expiry an agent's certificate can still be renewed. A host or a cluster that was off for weeks
// rejoins without a token.
const Grace = 90 * 24 * time.Hour

// renewal is the prefix of what the key of an expired certificate signs, so that the signature has no other use.
const renewal = "contiv renewal of an ended certificate\x00"

// Ended reports whether the holder's certificate has expired, so that every peer refuses it in a handshake.
func (h *Holder) Ended() bool { return h.now().After(h.Certificate().NotAfter) }

// Visitor returns the TLS configuration with which the holder connects to netmasters without its own certificate.
func (h *Holder) Visitor() *tls.Config { return h.clientConfig(Master, "") }

// SignRequest signs a request for a certificate with the key of the holder's certificate. It also returns that certificate, PEM.
func (h *Holder) SignRequest(r *Request) (certificate, signature []byte, err error) {
	pair := h.current().pair
	key, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, nil, errors.New("the key of the certificate cannot sign")
	}
	sum := vouched(r)
	signature, err = key.Sign(rand.Reader, sum[:], crypto.SHA256)
	return CertificatePEM(pair.Leaf), signature, err
}

func vouched(r *Request) [sha256.Size]byte {
	return sha256.Sum256(append([]byte(renewal), r.request.Raw...))
}

// Vouched returns the identity of an expired certificate. It requires that an authority of trusted issued the certificate, that it
// expired within Grace of now, and that its key signed the request (SignRequest). A replayed signature is harmless: it yields a
// certificate for a key that only the original sender has.
func Vouched(c *x509.Certificate, r *Request, signature []byte, trusted []*x509.Certificate, now time.Time) (Identity, error) {
	roots := x509.NewCertPool()
	for _, a := range trusted {
		roots.AddCert(a)
	}
	who, err := Of(c)
	if err != nil {
		return Identity{}, err
	}
	if _, err := c.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: c.NotAfter, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		return Identity{}, explained(err, c, c.NotAfter)
	}
	switch key, ok := c.PublicKey.(*ecdsa.PublicKey); {
	case !now.After(c.NotAfter):
		return Identity{}, fmt.Errorf("the certificate of %s is valid until %s, and this host's clock shows %s: renew it over a connection that it secures", who, clock(c.NotAfter), clock(now))
	case now.After(c.NotAfter.Add(Grace)):
		return Identity{}, fmt.Errorf("the certificate of %s expired at %s, more than %d days ago", who, clock(c.NotAfter), Grace/(24*time.Hour))
	case !ok:
		return Identity{}, fmt.Errorf("the key of the certificate of %s is a %s, want ECDSA", who, c.PublicKeyAlgorithm)
	default:
		if sum := vouched(r); !ecdsa.VerifyASN1(key, sum[:], signature) {
			return Identity{}, fmt.Errorf("the key of the certificate of %s did not sign the request", who)
		}
	}
	return who, nil
}
