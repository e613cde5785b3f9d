// SPDX-License-Identifier: Apache-2.0

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

// Seal encrypts secrets that netmasters must read back, so that a reader of the store cannot. Its key is derived from the
// authority's, which every netmaster's host has. It is immutable.
type Seal struct {
	aead   cipher.AEAD
	by     string
	before *Seal // of the authority that is being replaced; nil if there is none
}

// ErrSealed means that the key of another authority sealed the secret, that it was sealed for another place, or that it is not a
// sealed secret.
var ErrSealed = errors.New("it was not sealed by the key of this authority")

// sealInfo separates the seal's key from other keys derived from the authority's (RFC 5869, section 3.2).
const sealInfo = "contiv seal of secrets in the store, AES-256-GCM"

// Seal returns the seal of an authority. It is the same on every host that has the authority's key.
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

// By returns the fingerprint of the authority.
func (s *Seal) By() string { return s.by }

// Close seals a secret for one place, such as a key of the store. Open accepts it only for that place.
func (s *Seal) Close(place string, secret []byte) []byte {
	return s.aead.Seal(nil, nil, secret, []byte(place))
}

// Open returns the secret that was sealed for a place. The error is ErrSealed.
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
