// SPDX-License-Identifier: Apache-2.0

package term

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// LoginPath returns the path of the login below a user's home directory.
func LoginPath(home string) string { return filepath.Join(home, ".netctl", "config.json") }

// Token reads the token of netctl login; "" if no one is logged in.
func Token(home string) (string, error) { return readToken(LoginPath(home)) }

// readToken reads a session; "" if the file is missing.
func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the login of %s: %w", path, err)
	}
	var login struct{ Token string }
	if err := json.Unmarshal(text, &login); err != nil {
		return "", fmt.Errorf("%s: %w; delete the file and log in again", path, err)
	}
	return login.Token, nil
}

// Insecure reports whether the environment permits any server certificate.
func Insecure(getenv func(string) string) bool {
	value := getenv("INSECURE")
	return value != "" && value != "false"
}
