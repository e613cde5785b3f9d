// SPDX-License-Identifier: Apache-2.0

package releases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// host is the host whose endpoints and messages are recorded.
const host = "h1"

// The files of a recording.
const (
	storeFile   = "store.jsonl"  // the keys and values of the store, a line for each
	objectsFile = "objects.json" // the objects of each kind, as its netmaster listed them
	streamFile  = "h1.stream"    // the first messages of its netmaster to an agent
	switchFile  = "h1.json"      // the numbers of what its agent had in its switch
)

// entry is a line of storeFile.
type entry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// recordings calls do for each release.
func recordings(t *testing.T, do func(t *testing.T, dir string)) {
	dirs, err := filepath.Glob("testdata/*/" + storeFile)
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) { do(t, dir) })
	}
}

// read decodes a file of JSON.
func read(t *testing.T, v any, path ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// write encodes a file of JSON.
func write(t *testing.T, v any, path ...string) {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(path...), append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// stored returns a store with the recorded content.
func stored(t *testing.T, dir string) store.Store {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, storeFile))
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	var tx store.Tx
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		tx.Put(e.Key, []byte(e.Value))
	}
	if _, err := db.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	return db
}
