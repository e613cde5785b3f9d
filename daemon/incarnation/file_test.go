// SPDX-License-Identifier: Apache-2.0

package incarnation_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
)

// The file is read back by every account; a malformed file is refused, because without it any store would be accepted.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "contiv", "cluster")
	f := incarnation.File(path)
	if got, err := f.Read(); err != nil || got.Stored() != "" {
		t.Errorf("no file: want nothing, got %+v, %v", got, err)
	}
	want := incarnation.Known{Incarnation: record.NewIncarnation(strings.Repeat("a", 26), time.Unix(1767225600, 0).UTC()), Pending: true}
	if err := f.Write(want); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Read(); err != nil || !reflect.DeepEqual(got, want) || got.Stored() != "" {
		t.Errorf("want %+v, got %+v, %v", want, got, err)
	}
	want.Pending = false
	if err := f.Write(want); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Read(); err != nil || got.Stored() != strings.Repeat("a", 26) {
		t.Errorf("want it stored, got %+v, %v", got, err)
	}
	info, err := os.Stat(path)
	if list, _ := os.ReadDir(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o644 || len(list) != 1 {
		t.Errorf("want one file that everyone can read, got %v, %v, %v", info, list, err)
	}
	if err := os.WriteFile(path, []byte(`{"id":"`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(); err == nil || !strings.Contains(err.Error(), "copy the file from another host") {
		t.Errorf("half a file: want the remedy, got %v", err)
	}
	if got, err := incarnation.File("").Read(); err != nil || got.ID != "" || incarnation.File("").Write(want) != nil {
		t.Errorf("no path: want nothing, got %+v, %v", got, err)
	}
}
