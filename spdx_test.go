// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// licence is the first line of every source file, or the second one of a script; LICENSE has the text of the licence.
const licence = "SPDX-License-Identifier: Apache-2.0"

// rootFiles are files of test machines: a change of them rebuilds the root file systems.
const rootFiles = "test/machines/machine/root/"

// Every Go file and every script of this repository names its licence. -update adds the line; generators write it themselves.
func TestLicences(t *testing.T) {
	if text, err := os.ReadFile("LICENSE"); err != nil || !bytes.Contains(text, []byte("Apache License")) {
		t.Fatalf("LICENSE: want the text of Apache-2.0, %v", err)
	}
	list, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for path := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue // it is deleted, and the deletion not committed
		}
		if err != nil {
			t.Fatal(err)
		}
		script := bytes.HasPrefix(text, []byte("#!")) && bytes.Contains(text[:min(len(text), 40)], []byte("sh"))
		if !script && !strings.HasSuffix(path, ".go") || strings.HasPrefix(path, rootFiles) {
			continue
		}
		files++
		named := licensed(text, script)
		switch {
		case bytes.Equal(named, text):
		case *update && !bytes.HasPrefix(text, []byte("// Code generated")):
			mode, err := os.Stat(path)
			if err == nil {
				err = os.WriteFile(path, named, mode.Mode())
			}
			if err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s: the line %q is missing: go test . -run TestLicences -update adds it", path, licence)
		}
	}
	if files < 1000 {
		t.Errorf("source files: got %d, want at least 1000", files)
	}
}

// licensed returns the text of a file with the line.
func licensed(text []byte, script bool) []byte {
	if !script {
		line := []byte("// " + licence + "\n\n")
		if bytes.HasPrefix(text, line) {
			return text
		}
		return append(line, text...)
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	line := []byte("# " + licence + "\n")
	if bytes.HasPrefix(rest, line) {
		return text
	}
	return bytes.Join([][]byte{first, append(line, rest...)}, []byte("\n"))
}
