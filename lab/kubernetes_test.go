// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A runc that filters no system calls is refused with the remedy, one that does not run with the reason.
func TestFilters(t *testing.T) {
	for says, want := range map[string]string{
		"echo runc version 1.5.2; echo libseccomp: 2.5.4": "",
		"echo runc version 1.5.2":                         "apt-get install libseccomp-dev",
		"exit 3":                                          "exit status 3",
	} {
		runc := filepath.Join(t.TempDir(), "runc")
		if err := os.WriteFile(runc, []byte("#!/bin/sh\n"+says+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		switch err := filters(runc); {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %q", says, err, want)
		}
	}
}
