// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/contiv/contiv/api/model"
)

// cost is the cost of checking a password (RFC 9106, section 3.1).
type cost struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// ordinary is the cost of new passwords. Each hash contains its cost, so that it may be raised.
var ordinary = cost{Memory: 32 << 10, Passes: 3, Threads: 1}

// Bounds of the cost in a stored hash, and of a password in bytes.
const (
	maxMemory     = 256 << 10 // KiB
	maxPasses     = 16
	maxThreads    = 4
	shortPassword = 8
	longPassword  = 256
	saltBytes     = 16
	keyBytes      = 32
)

// hash returns a password's hash as it is stored: PHC string format.
func (c cost) hash(password string) string {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	return c.text(salt, argon2.IDKey([]byte(password), salt, c.Passes, c.Memory, c.Threads, keyBytes))
}

func (c cost) text(salt, key []byte) string {
	code := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads, code(salt), code(key))
}

// parseHash parses the result of hash.
func parseHash(text string) (c cost, salt, key []byte, err error) {
	wrong := func() (cost, []byte, []byte, error) {
		return cost{}, nil, nil, fmt.Errorf("a password's hash is not one of Argon2id, version %d, within its bounds", argon2.Version)
	}
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return wrong()
	}
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Passes, &c.Threads); err != nil || n != 3 {
		return wrong()
	}
	salt, err = base64.RawStdEncoding.DecodeString(parts[4])
	if err == nil {
		key, err = base64.RawStdEncoding.DecodeString(parts[5])
	}
	if err != nil || len(salt) < 8 || len(key) < 16 || len(salt) > 64 || len(key) > 64 || c.text(salt, key) != text {
		return wrong()
	}
	if c.Memory < 8 || c.Memory > maxMemory || c.Passes < 1 || c.Passes > maxPasses || c.Threads < 1 || c.Threads > maxThreads {
		return wrong()
	}
	return c, salt, key, nil
}

// matches reports whether a password matches a hash. It takes equally long if it does not.
func matches(hash, password string) bool {
	c, salt, key, err := parseHash(hash)
	if err != nil {
		return false
	}
	got := argon2.IDKey([]byte(password), salt, c.Passes, c.Memory, c.Threads, uint32(len(key)))
	return subtle.ConstantTimeCompare(got, key) == 1
}

// checkPassword refuses an invalid password. Errors are *model.Error.
func checkPassword(password string) error {
	if len(password) < shortPassword || len(password) > longPassword {
		return model.Errorf(model.CodeInvalid, "password", "a password of %d bytes", len(password)).Try("it has %d to %d bytes", shortPassword, longPassword)
	}
	return nil
}
