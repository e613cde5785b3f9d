// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

var update = flag.Bool("update", false, "rewrite testdata")

// Images of stores; daemon/agent/desired compares the state that agents derive from them.
const (
	olderBuild   = "../../record/testdata/older-build.json" // as the build wrote it whose records of rules were one for each group
	presentBuild = "../../record/testdata/present-build.json"
)

// A leader converts a store of an earlier build, with rules of all sorts, into the store that this build would have written.
func TestImageOfOlderBuild(t *testing.T) {
	text, err := os.ReadFile(olderBuild)
	if err != nil {
		t.Fatal(err)
	}
	var image map[string]json.RawMessage
	if err := json.Unmarshal(text, &image); err != nil {
		t.Fatal(err)
	}
	db, tx := memory.New(), &store.Tx{}
	for key, value := range image {
		tx.Put(key, value)
	}
	if _, err := db.Commit(context.Background(), tx); err != nil {
		t.Fatal(err)
	}
	enginetest.Start(t, enginetest.Options{Store: db})
	items, _, err := db.List(context.Background(), record.State)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, it := range items {
		lines = append(lines, `"`+it.Key+`": `+string(it.Value))
	}
	got := "{\n" + strings.Join(lines, ",\n") + "\n}\n"
	if *update {
		if err := os.WriteFile(presentBuild, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(presentBuild); err != nil || string(want) != got {
		t.Errorf("%s: %v, got\n%s\nif that is meant: go test ./daemon/master/derive -update", presentBuild, err, got)
	}
}
