// SPDX-License-Identifier: Apache-2.0

package incarnation_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/incarnation"
)

// Hosts returns the recorded hosts of an incarnation, and nothing for another one or from a damaged file.
func TestRoster(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster")
	f := incarnation.File(path)
	if got, err := f.Hosts("a"); got != nil || err != nil {
		t.Errorf("nothing recorded: want nothing, got %v, %v", got, err)
	}
	if err := f.RecordHosts("a", []string{"h2", "h1"}); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Hosts("b", "a"); err != nil || !reflect.DeepEqual(got, []string{"h1", "h2"}) {
		t.Errorf("want both hosts in order, got %v, %v", got, err)
	}
	if got, err := f.Hosts("b"); got != nil || err != nil {
		t.Errorf("another incarnation: want nothing, got %v, %v", got, err)
	}
	text, err := os.ReadFile(path + ".hosts")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".hosts", []byte(strings.Replace(string(text), "h2", "h3", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Hosts("a"); got != nil || err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damaged: want an error, got %v, %v", got, err)
	}
	if got, err := incarnation.File("").Hosts("a"); got != nil || err != nil || incarnation.File("").RecordHosts("a", nil) != nil {
		t.Errorf("no file: want nothing, got %v, %v", got, err)
	}
}
