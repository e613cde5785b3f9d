// SPDX-License-Identifier: Apache-2.0

package record_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/record"
)

var incarnated = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// id returns an incarnation's id for a number.
func id(n int) string { return strings.Repeat("a", 25) + string(rune('b'+n)) }

// The relation of a store to a known one follows from their ids only.
func TestRelationOf(t *testing.T) {
	first := record.NewIncarnation(strings.ToUpper(id(0)), incarnated)
	second := first.Successor(id(1), record.CauseRestore, incarnated)
	third := second.Successor(id(2), record.CauseAlone, incarnated)
	other := record.NewIncarnation(id(9), incarnated)
	for _, row := range []struct {
		name  string
		known string
		store record.Incarnation
		want  record.Relation
	}{
		{"a store without one, none known", "", record.Incarnation{}, record.Empty},
		{"a store without one", first.ID, record.Incarnation{}, record.Empty},
		{"none known", "", first, record.First},
		{"the known one", first.ID, first, record.Same},
		{"a successor that is known", second.ID, second, record.Same},
		{"the successor", first.ID, second, record.Successor},
		{"the successor of the successor", first.ID, third, record.Successor},
		{"the predecessor of the known one", second.ID, first, record.Another},
		{"another cluster's", first.ID, other, record.Another},
		{"two successors of one", second.ID, first.Successor(id(5), record.CauseNewStore, incarnated), record.Another},
	} {
		if got := record.RelationOf(row.known, &row.store); got != row.want {
			t.Errorf("%s: want %s, got %s", row.name, row.want, got)
		}
	}
}

// An incarnation lists its predecessors, the newest first and a limited number, and is read back.
func TestIncarnationSuccessor(t *testing.T) {
	at := record.NewIncarnation(id(0), incarnated)
	for n := range 40 {
		next := at.Successor(id(n%20+1), record.CauseRestore, incarnated)
		if next.Predecessors[0] != at.ID {
			t.Fatalf("want %s first, got %q", at.ID, next.Predecessors)
		}
		at = next
	}
	if len(at.Predecessors) != 32 {
		t.Errorf("want 32 predecessors, got %d", len(at.Predecessors))
	}
	text, err := json.Marshal(at)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := record.ParseIncarnation(text); err != nil || !reflect.DeepEqual(got, at) {
		t.Errorf("want %+v, got %+v, %v", at, got, err)
	}
	if got := (&record.Incarnation{}).Successor(id(1), record.CauseNewStore, incarnated); got.Predecessors != nil || got.Check() != nil {
		t.Errorf("of nothing: want no predecessors, got %+v, %v", got, got.Check())
	}
}

// ParseIncarnation refuses what no part of Contiv writes, and names the field.
func TestParseIncarnation(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{`{`, "incarnation: unexpected end"},
		{`{}`, `incarnation: cause: got ""`},
		{`{"id":"x","cause":"init"}`, `incarnation: id: got "x"`},
		{`{"id":"` + strings.ToUpper(id(0)) + `","cause":"init"}`, "incarnation: id: got"},
		{`{"id":"` + id(0) + `","cause":"init","predecessors":["../x"]}`, `incarnation: id: got "../x"`},
		{`{"id":"` + id(0) + `","cause":"init","predecessors":["` + strings.Repeat(id(1)+`","`, 32) + id(2) + `"]}`, "incarnation: predecessors: got 33"},
	} {
		if _, err := record.ParseIncarnation([]byte(row.in)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.in, row.want, err)
		}
	}
}
