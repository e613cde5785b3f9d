// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// If the incarnation of a store changes while netmaster runs, but its revisions continue, netmaster reads the store again.
func TestIncarnationChanges(t *testing.T) {
	db := memory.New()
	one := start(t, db)
	until(t, "it leads", func() bool { return one.role() == "leader" })
	id := func() string {
		var v model.Version
		if err := one.Raw(context.Background(), "/version", &v); err != nil {
			return err.Error()
		}
		return v.Incarnation
	}
	first := id()
	if len(first) != 26 {
		t.Fatalf("want an incarnation from the first moment, got %q", first)
	}
	next := record.Incarnation{ID: strings.Repeat("b", 26), Predecessors: []string{first}, Cause: record.CauseRestore}
	text, err := json.Marshal(next)
	if err != nil {
		t.Fatal(err)
	}
	var tx store.Tx
	tx.Put(record.IncarnationKey, text)
	if _, err := db.Open().Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	until(t, "it has the successor", func() bool { return id() == next.ID && one.role() == "leader" })
}
