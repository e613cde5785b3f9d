// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
)

// page are the parts of docs/reference/pipeline.md that follow from the declarations, by their marks.
func page() map[string]string {
	p := Default()
	var tables, regs, bits strings.Builder
	tables.WriteString("| id | name | feature | asks | miss |\n|---|---|---|---|---|\n")
	for n, t := range p.Tables() {
		miss := "drop"
		for _, s := range t.Miss.Steps(p.Tables()) {
			switch s.Verb {
			case flow.Goto:
				miss = "`" + p.Tables().Name(flow.TableID(s.Value)) + "`"
			case flow.OutputFrom:
				miss = "output to `" + s.To.Field.String() + "`"
			}
		}
		fmt.Fprintf(&tables, "| %d | `%s` | %s | %s | %s |\n", t.ID, t.Name, p.Features()[p.declared[n]-1].Name(), t.Asks, miss)
	}
	regs.WriteString("| register | holds |\n|---|---|\n")
	for _, r := range registers() {
		fmt.Fprintf(&regs, "| `%s` | %s |\n", r.field, r.holds)
	}
	bits.WriteString("| bit of `reg0` | name | meaning |\n|---|---|---|\n")
	all := flags()
	for bit := range 32 {
		if f, ok := all[bit]; ok {
			fmt.Fprintf(&bits, "| %d | %s | %s |\n", bit, f.name, f.means)
		}
	}
	return map[string]string{"tables": tables.String(), "registers": regs.String(), "flags": bits.String()}
}

// TestPage compares the page about the pipeline with what is declared.
func TestPage(t *testing.T) {
	const path, end = "../../docs/reference/pipeline.md", "<!-- end -->"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for mark, want := range page() {
		from := strings.Index(text, "<!-- "+mark)
		if from < 0 {
			t.Fatalf("%s: want a mark of %s, got none", path, mark)
		}
		from += strings.Index(text[from:], "-->\n") + len("-->\n")
		to := from + strings.Index(text[from:], end)
		if got := text[from:to]; got != want && !*update {
			t.Errorf("%s in %s (go test -run TestPage -update writes them): want\n%sgot\n%s", mark, path, want, got)
		}
		text = text[:from] + want + text[to:]
	}
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The description of a table's lost packets applies to packets that end there.
func TestTablesThatLose(t *testing.T) {
	for _, table := range Default().Tables() {
		if table.Asks == "" || table.Lost != "" && !table.Miss.IsDrop() {
			t.Errorf("table %s: want words for its question, and for its losses only if its miss is a drop", table.Name)
		}
	}
}
