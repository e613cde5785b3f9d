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

// Grace is how long after its end an agent's certificate still has another key certified: a host that was off for weeks, or a cluster that was, comes back
// without a token.
const Grace = 90 * 24 * time.Hour

// renewal begins what the key of an ended certificate signs, so that the signature means nothing else.
const renewal = "contiv renewal of an ended certificate\x00"

// Ended reports whether the holder's certificate has ended, so that no one accepts it in a handshake.
func (h *Holder) Ended() bool { return h.now().After(h.Certificate().NotAfter) }

// Visitor is how the holder speaks TLS to netmasters without its own certificate.
func (h *Holder) Visitor() *tls.Config { return h.asks(Master, "") }

// SignRequest signs a request for a certificate with the key of the holder's own certificate, which it returns too, PEM.
func (h *Holder) SignRequest(r *Request) (certificate, signature []byte, err error) {
	pair := h.current().pair
	key, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, nil, errors.New("the key of the certificate does not sign")
	}
	sum := vouched(r)
	signature, err = key.Sign(rand.Reader, sum[:], crypto.SHA256)
	return CertificatePEM(pair.Leaf), signature, err
}

func vouched(r *Request) [sha256.Size]byte {
	return sha256.Sum256(append([]byte(renewal), r.request.Raw...))
}

// Vouched returns the identity of a certificate that has ended within Grace of now, if an authority of trusted signed it and its key
// signed the request (SignRequest). A replayed signature yields only a certificate for a key that the original sender has.
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
		return Identity{}, fmt.Errorf("the certificate of %s counts until %s, and this host's clock says %s: it renews itself by a connection that it proves", who, clock(c.NotAfter), clock(now))
	case now.After(c.NotAfter.Add(Grace)):
		return Identity{}, fmt.Errorf("the certificate of %s ended at %s, more than %d days ago", who, clock(c.NotAfter), Grace/(24*time.Hour))
	case !ok:
		return Identity{}, fmt.Errorf("the key of the certificate of %s is a %s, want ECDSA", who, c.PublicKeyAlgorithm)
	default:
		if sum := vouched(r); !ecdsa.VerifyASN1(key, sum[:], signature) {
			return Identity{}, fmt.Errorf("the key of the certificate of %s has not signed the request", who)
		}
	}
	return who, nil
}
