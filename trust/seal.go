package trust

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
)

// Seal keeps secrets that netmasters have to read again from who reads the store. Its key follows from the authority's, which every netmaster's host has. It
// is immutable.
type Seal struct {
	aead   cipher.AEAD
	by     string
	before *Seal // of the authority that is being replaced; nil: none is
}

// ErrSealed says that a secret was sealed by the key of another authority, or elsewhere, or it is none.
var ErrSealed = errors.New("it was not sealed by the key of this authority")

// sealInfo separates the seal's key from other keys derived from the authority's (RFC 5869, section 3.2).
const sealInfo = "contiv seal of secrets in the store, AES-256-GCM"

// Seal is the seal of an authority. It is the same wherever the authority's key is.
func (a *Authority) Seal() (*Seal, error) {
	secret, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return nil, fmt.Errorf("derive the seal's key: %w", err)
	}
	key, err := hkdf.Key(sha256.New, secret, nil, sealInfo, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the seal's key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Seal{aead: aead, by: a.Fingerprint()}, nil
}

// By names the authority.
func (s *Seal) By() string { return s.by }

// Close seals a secret for one place, such as a key of the store: it counts nowhere else.
func (s *Seal) Close(place string, secret []byte) []byte {
	return s.aead.Seal(nil, nil, secret, []byte(place))
}

// Open is the secret that was sealed for a place. The error is ErrSealed.
func (s *Seal) Open(place string, sealed []byte) ([]byte, error) {
	out, err := s.aead.Open(nil, nil, sealed, []byte(place))
	switch {
	case err == nil:
		return out, nil
	case s.before != nil:
		return s.before.Open(place, sealed)
	}
	return nil, ErrSealed
}
