// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/store/member"
)

// A member whose log lacks the end, which it has acknowledged, does not start: the error names its directory and how to replace the member,
// and the next start refuses the directory before the server starts.
func TestLogWithoutEnd(t *testing.T) {
	all, _ := grown(t, 2)
	dir, mark := t.TempDir(), filepath.Join(t.TempDir(), "mark")
	url := freeURL(t)
	urls, _, err := all[0].AddMember(t.Context(), "m2", url)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Dir: filepath.Join(dir, "store"), Name: "m2", PeerURL: url, InitialCluster: urls, Existing: true, Mark: mark}
	third := begin(t, c)
	for n := 0; third.etcd.Server.IsLearner() || n < 3; n++ {
		putSoon(t, all[0], fmt.Sprintf("before%d", n), "1")
	}
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "old")
	if err := os.CopyFS(old, os.DirFS(c.Dir)); err != nil {
		t.Fatal(err)
	}
	third = begin(t, c)
	for n := range 20 {
		putSoon(t, all[0], fmt.Sprintf("after%d", n), "1")
	}
	if i, err := third.Read(t.Context(), "after19"); err != nil || string(i.Value) != "1" { // linearizable: the member has acknowledged it
		t.Fatalf("want the last change read from the member, got %q, %v", i.Value, err)
	}
	if err := errors.Join(third.Close(), os.RemoveAll(c.Dir), os.Rename(old, c.Dir), os.Remove(mark)); err != nil {
		t.Fatal(err)
	}
	_, err = Start(t.Context(), c)
	for _, want := range []string{c.Dir, "has acknowledged index", "contiv replace m2"} {
		if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), want) {
			t.Fatalf("want a start that is refused with %q, got %v", want, err)
		}
	}
	if noted, err := member.ReadMark(mark); err != nil || noted.Index == 0 {
		t.Errorf("want the lost position in the mark, got %+v, %v", noted, err)
	}
	if _, err := c.Permit(t.Context(), true); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "contiv replace m2") {
		t.Errorf("want the directory refused before the start, got %v", err)
	}
}
