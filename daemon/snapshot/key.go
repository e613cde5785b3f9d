// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/contiv/contiv/trust"
)

// passphraseLeast is the minimum number of characters of a passphrase: an attacker with the file can try any number.
const passphraseLeast = 12

// maxKey bounds a key, in bytes.
const maxKey = 64 << 10

// SealKey encrypts the certificate and the key of an authority, in PEM, with a passphrase: with age's own recipient, which scrypt makes
// slow to guess.
func SealKey(certificates, key []byte, passphrase string) (string, error) {
	if len(passphrase) < passphraseLeast {
		return "", fmt.Errorf("passphrase: got %d characters, want at least %d", len(passphrase), passphraseLeast)
	}
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return "", fmt.Errorf("passphrase: %w", err)
	}
	var out bytes.Buffer
	packed := armor.NewWriter(&out)
	in, err := age.Encrypt(packed, to)
	if err != nil {
		return "", err
	}
	if _, err := in.Write(bytes.Join([][]byte{certificates, key}, nil)); err != nil {
		return "", err
	}
	if err := errors.Join(in.Close(), packed.Close()); err != nil {
		return "", err
	}
	return out.String(), nil
}

// ErrNoKey means that a snapshot does not have the key.
var ErrNoKey = errors.New("the authority's key is not part of this snapshot: it was saved without --with-key")

// OpenKey decrypts the certificate and the key of the authority, in PEM.
func (h *Header) OpenKey(passphrase string) ([]byte, error) {
	if h.AuthorityKey == "" {
		return nil, ErrNoKey
	}
	who, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, fmt.Errorf("passphrase: %w", err)
	}
	out, err := age.Decrypt(armor.NewReader(strings.NewReader(h.AuthorityKey)), who)
	if err != nil {
		return nil, fmt.Errorf("the authority's key cannot be decrypted with this passphrase: %w", err)
	}
	return io.ReadAll(io.LimitReader(out, maxKey))
}

// Authority returns the fingerprint of the authority whose certificate is in a directory; "" if there is none.
func Authority(dir trust.Dir) string {
	text, err := dir.Trusted()
	if err != nil {
		return ""
	}
	all, err := trust.ParseCertificates(text)
	if err != nil || len(all) == 0 {
		return ""
	}
	return trust.Fingerprint(all[0])
}
