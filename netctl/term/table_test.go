// SPDX-License-Identifier: Apache-2.0

package term

import (
	"errors"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

func TestTable(t *testing.T) {
	long := strings.Repeat("long ", 60) + "end"
	tests := []struct {
		name string
		rows [][]string
		want string
	}{
		{"no rows", nil, "Name  Reason\n----  ------\n"},
		{"cells wider than the header", [][]string{{"a", "b"}, {"network", ""}}, "Name     Reason\n----     ------\na        b\nnetwork\n"},
		{"fewer cells than columns", [][]string{{"a"}}, "Name  Reason\n----  ------\na\n"},
		{"the first cell empty", [][]string{{"", "b"}}, "Name  Reason\n----  ------\n      b\n"},
		{"blanks inside and before", [][]string{{" a  b", "c"}}, "Name   Reason\n----   ------\n a  b  c\n"},
		{"long cells stay whole, and on their line", [][]string{{"a", long}, {"b", "c"}}, "Name  Reason\n----  ------\na     " + long + "\nb     c\n"},
		{"characters, not bytes", [][]string{{"Zürich", "ü"}}, "Name    Reason\n----    ------\nZürich  ü\n"},
		{"characters of two cells", [][]string{{"東京", "x"}, {"abcd", "y"}}, "Name  Reason\n----  ------\n東京  x\nabcd  y\n"},
		{"lines of a cell stay in its column", [][]string{{"a", "one\ntwo"}}, "Name  Reason\n----  ------\na     one\n      two\n"},
	}
	for _, tt := range tests {
		table := Table{Columns: []model.Column{{Header: "Name"}, {Header: "Reason"}}}
		for _, row := range tt.rows {
			table.Add(row)
		}
		var b strings.Builder
		if err := table.Write(&b); err != nil || b.String() != tt.want {
			t.Errorf("%s: want\n%s\ngot\n%s, %v", tt.name, tt.want, b.String(), err)
		}
	}
}

// full is a writer on which nothing fits.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestTable_WriteError(t *testing.T) {
	table := Table{Columns: []model.Column{{Header: "Name"}}}
	table.Add([]string{"a"})
	if err := table.Write(full{}); !errors.Is(err, errFull) {
		t.Errorf("want the writer's error, got %v", err)
	}
}

// A table that comes in parts: its header once, and columns that never get narrower.
func TestTable_WriteAgain(t *testing.T) {
	table := Table{Columns: []model.Column{{Header: "Change", Dashes: 7}, {Header: "Name"}, {Header: "Tag"}}}
	for _, part := range []struct {
		name string
		rows [][]string
		want string
	}{
		{"no rows yet", nil, "Change   Name  Tag\n-------  ----  ---\n"},
		{"as wide as the header and its dashes", [][]string{{"added", "a", "5"}}, "added    a     5\n"},
		{"wider", [][]string{{"changed", "network", "5"}, {"added", "b", "5"}}, "changed  network  5\nadded    b        5\n"},
		{"as wide as before", [][]string{{"deleted", "a", "5"}}, "deleted  a        5\n"},
		{"the last empty", [][]string{{"deleted", "b", ""}}, "deleted  b\n"},
		{"nothing more", nil, ""},
	} {
		for _, row := range part.rows {
			table.Add(row)
		}
		var b strings.Builder
		if err := table.Write(&b); err != nil || b.String() != part.want {
			t.Errorf("%s: want\n%sgot\n%s%v", part.name, part.want, b.String(), err)
		}
	}
}
