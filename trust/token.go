// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

// Token is the credential with which a host joins a cluster: a secret whose hash netmasters know, and the fingerprint of the
// authority, with which the host verifies netmasters before it trusts anything else.
type Token struct {
	ID     string // identifies it in lists; not secret
	Secret [32]byte
	Pin    string // fingerprint of the authority, in hexadecimal
}

// tokenID is the number of random bytes in a token's id. The id is base32, so it never looks like a flag of a command.
const tokenID = 5

var (
	idText     = base32.StdEncoding.WithPadding(base32.NoPadding)
	secretText = base64.RawURLEncoding.Strict()
)

// NewToken returns a token with a new secret, for the cluster of an authority.
func NewToken(fingerprint string) Token {
	id := make([]byte, tokenID)
	t := Token{Pin: fingerprint}
	_, _ = rand.Read(id) // never fails
	_, _ = rand.Read(t.Secret[:])
	t.ID = strings.ToLower(idText.EncodeToString(id))
	return t
}

// Hash returns the part of the secret that netmasters store: its SHA-256, in hexadecimal.
func (t *Token) Hash() string {
	sum := sha256.Sum256(t.Secret[:])
	return hex.EncodeToString(sum[:])
}

// String encodes the token as ID.SECRET.PIN.
func (t Token) String() string {
	pin, _ := hex.DecodeString(t.Pin)
	return t.ID + "." + secretText.EncodeToString(t.Secret[:]) + "." + secretText.EncodeToString(pin)
}

// ParseToken decodes the text of String.
func ParseToken(text string) (Token, error) {
	none := errors.New("it is not a token for joining a cluster: create one with contiv token create")
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return Token{}, none
	}
	id, err := idText.DecodeString(strings.ToUpper(parts[0]))
	secret, wrong := secretText.DecodeString(parts[1])
	pin, bad := secretText.DecodeString(parts[2])
	t := Token{ID: strings.ToLower(idText.EncodeToString(id)), Pin: hex.EncodeToString(pin)}
	if errors.Join(err, wrong, bad) != nil || len(id) != tokenID || len(secret) != len(t.Secret) || len(pin) != sha256.Size {
		return Token{}, none
	}
	copy(t.Secret[:], secret)
	if t.String() != text { // the text is not the canonical encoding
		return Token{}, none
	}
	return t, nil
}
