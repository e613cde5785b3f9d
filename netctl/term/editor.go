// SPDX-License-Identifier: Apache-2.0

package term

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// EditorCommand is the program that edits files, with its arguments: $VISUAL, $EDITOR or vi.
func EditorCommand(getenv func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(getenv(name)); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}

// Draft writes a text to a new temporary YAML file, readable only by this account, and returns the file's path. The caller removes the
// file.
func Draft(text []byte) (path string, err error) {
	file, err := os.CreateTemp("", "contiv-*.yaml")
	if err != nil {
		return "", fmt.Errorf("make a file for the editor: %w", err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}
