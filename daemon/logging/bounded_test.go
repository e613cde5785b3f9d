// SPDX-License-Identifier: Apache-2.0

package logging_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/contiv/contiv/daemon/logging"
)

// Input from clients is shortened and escaped in the log, in both formats; a call stack is complete.
func TestBounded(t *testing.T) {
	hostile := "/\x1b]0;pwn\a\u009b2J\u202e" + strings.Repeat("A", 60<<10)
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		log, err := logging.New(logging.Config{Level: "info", JSON: asJSON}, "test", &out, nil)
		if err != nil {
			t.Fatal(err)
		}
		log.Info("request failed", "path", hostile, "error", errors.New(hostile), "stack", strings.Repeat("s", 10<<10), "port", 7)
		got := out.String()
		if len(got) > 20<<10 || strings.Count(got, "\n") != 1 || strings.ContainsFunc(strings.TrimSpace(got), func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Errorf("JSON %t: %d bytes, %q", asJSON, len(got), got[:min(len(got), 200)])
		}
		if !strings.Contains(got, strings.Repeat("s", 10<<10)) || !strings.Contains(got, "pwn") {
			t.Errorf("JSON %t: the stack or the rest of the path is cut: %q", asJSON, got[:min(len(got), 200)])
		}
	}
}
