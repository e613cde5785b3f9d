// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record the counts of testdata after an improvement")

// ratchet compares the number of places that break a rule, per key, with the numbers recorded in a file. A higher number is a
// new break of the rule, and a lower one has to be recorded, so that the places do not come back. With -update the file is
// rewritten, unless the sum of its numbers would grow. Keys may move, for instance when a package is renamed.
func ratchet(t *testing.T, path, advice string, found map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	recorded, allowed := map[string]int{}, 0
	for line := range strings.Lines(string(text)) {
		key, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.Atoi(number); err == nil { // else a comment, or a mark of a merge conflict
			recorded[key] = max(recorded[key], n)
			allowed += n
		}
	}
	sum := 0
	for _, places := range found {
		sum += len(places)
	}
	if *update && (sum <= allowed || text == nil) {
		var out strings.Builder
		fmt.Fprintf(&out, "# %s Numbers only decrease. Rewrite: go test . -run '^%s$' -update\n", advice, t.Name())
		for _, key := range slices.Sorted(maps.Keys(found)) {
			fmt.Fprintf(&out, "%s %d\n", key, len(found[key]))
		}
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	both := maps.Clone(recorded)
	for key, places := range found {
		both[key] = len(places)
	}
	for _, key := range slices.Sorted(maps.Keys(both)) {
		switch got, want := len(found[key]), recorded[key]; cmp.Compare(got, want) {
		case 1:
			t.Errorf("%s: got %d places, want at most %d. %s\n\t%s", key, got, want, advice, strings.Join(found[key], "\n\t"))
		case -1:
			t.Errorf("%s: got %d places, %s records %d: run go test . -run '^%s$' -update", key, got, path, want, t.Name())
		}
	}
}
