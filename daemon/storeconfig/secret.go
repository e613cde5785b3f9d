// SPDX-License-Identifier: Apache-2.0

package storeconfig

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Secret is what a store asks for beside a certificate. Secrets are in files, since a user who lists a machine's processes sees their
// arguments.
type Secret struct {
	User, PasswordFile string // of etcd
	TokenFile          string // of Consul's ACLs
}

// check returns an error for settings that do not fit each other.
func (s *Secret) check(c *Config) error {
	switch {
	case (s.User == "") != (s.PasswordFile == ""):
		return errors.New("--store-user and --store-password-file must be set together: set both or none")
	case s.User != "" && (len(c.Consul) > 0 || c.Embedded):
		return errors.New("--store-user is for an etcd beside netmaster; Consul takes --store-token-file")
	case s.TokenFile != "" && len(c.Consul) == 0:
		return errors.New("--store-token-file is for Consul; etcd takes --store-user and --store-password-file")
	}
	return nil
}

// Password reads the password of the user; "" if none is named.
func (s *Secret) Password() (string, error) { return read("store-password-file", s.PasswordFile) }

// Token reads the token for Consul's ACLs; "" if none is named.
func (s *Secret) Token() (string, error) { return read("store-token-file", s.TokenFile) }

// read reads a file with one secret; "" names none.
func read(flag, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("--%s: %w", flag, err)
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" || strings.ContainsAny(secret, "\r\n") {
		return "", fmt.Errorf("--%s %s: want one line with the secret", flag, path)
	}
	return secret, nil
}
