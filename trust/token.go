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

// Token is what a host joins a cluster with: a secret that netmasters know the hash of, and the fingerprint of the authority, by which the host
// knows the cluster's netmasters before it trusts anything else.
type Token struct {
	ID     string // by which it is listed and removed; no secret
	Secret [32]byte
	Pin    string // fingerprint of the authority, in hexadecimal
}

// tokenID is how many random bytes name a token: a name of base32, which no flag of a command begins like.
const tokenID = 5

var (
	idText     = base32.StdEncoding.WithPadding(base32.NoPadding)
	secretText = base64.RawURLEncoding.Strict()
)

// NewToken makes a token with a new secret, for the cluster of an authority.
func NewToken(fingerprint string) Token {
	id := make([]byte, tokenID)
	t := Token{Pin: fingerprint}
	_, _ = rand.Read(id) // never fails
	_, _ = rand.Read(t.Secret[:])
	t.ID = strings.ToLower(idText.EncodeToString(id))
	return t
}

// Hash is what netmasters know of the secret: its SHA-256, in hexadecimal.
func (t *Token) Hash() string {
	sum := sha256.Sum256(t.Secret[:])
	return hex.EncodeToString(sum[:])
}

// String is the token as it is handed on: ID.SECRET.PIN.
func (t Token) String() string {
	pin, _ := hex.DecodeString(t.Pin)
	return t.ID + "." + secretText.EncodeToString(t.Secret[:]) + "." + secretText.EncodeToString(pin)
}

// ParseToken reads what String has written.
func ParseToken(text string) (Token, error) {
	none := errors.New("it is no token for joining a cluster: contiv token create prints one")
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
	if t.String() != text { // of several texts that could be read as it
		return Token{}, none
	}
	return t, nil
}
