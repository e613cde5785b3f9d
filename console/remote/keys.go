// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"charm.land/ssh"

	"github.com/contiv/contiv/configfile"
)

// contextOption is the option of a line of the authorized keys that names a context.
var contextOption = regexp.MustCompile(`^context="([^"\\]+)"$`)

// readKeys reads a file of authorized keys (sshd(8), AUTHORIZED_KEYS FILE FORMAT), and returns the keys of each context. The only
// option of a line, which it must have, is context="NAME". A missing file has no keys. The error names the file and the line.
func readKeys(path string) (map[string][]ssh.PublicKey, error) {
	out := map[string][]ssh.PublicKey{}
	if path == "" {
		return out, nil
	}
	text, err := configfile.ReadTrusted(path)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for i, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		name, key, err := parseKey(line)
		if err != nil {
			return nil, &configfile.Problem{File: path, Line: i + 1, Text: err.Error()}
		}
		out[name] = append(out[name], key)
	}
	return out, nil
}

// parseKey reads a line of the authorized keys.
func parseKey(line []byte) (context string, key ssh.PublicKey, err error) {
	key, _, options, _, err := ssh.ParseAuthorizedKey(line)
	if err != nil {
		return "", nil, fmt.Errorf("got no public key: want context=\"NAME\" and a line of a .pub file of ssh-keygen: %w", err)
	}
	if len(options) == 1 {
		if found := contextOption.FindStringSubmatch(options[0]); found != nil {
			return found[1], key, nil
		}
	}
	return "", nil, fmt.Errorf("got the options %q, want context=\"NAME\", the context whose rights the key has", strings.Join(options, ","))
}
