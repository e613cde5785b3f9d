// SPDX-License-Identifier: Apache-2.0

package history_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

// A user with many changes displaces only his own records, not those of others. The history keeps its permitted length, and it refuses
// requests for earlier states that it cannot reconstruct.
func TestFloodKeepsOthersHistory(t *testing.T) {
	ctx := context.Background()
	const most = 60
	m := mastertest.Start(t, mastertest.Options{Keep: history.Keep{Records: most}})
	write := func(address, kind, key, value string) {
		t.Helper()
		by := model.Actor{Claimed: "u" + value, Address: address} // the names that requests give themselves do not count
		if _, err := m.Commit.Do(commit.By(ctx, by), func(tx *commit.Tx) error {
			return tx.Put(record.Objects+kind+"/"+key, map[string]string{"key": key, "x": value})
		}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		write("10.1.1.1", "volume", fmt.Sprint("v", i), "first")
	}
	before, err := m.History(ctx, client.HistoryQuery{By: "10.1.1.1"})
	if err != nil || len(before) != 20 {
		t.Fatalf("want 20 entries, got %d, %v", len(before), err)
	}
	write("10.6.6.6", "volume", "w", "first")
	early := m.Catalog.Revision()
	for i := range 300 {
		write("10.6.6.6", "volume", "w", fmt.Sprint(i))
	}
	if after, err := m.History(ctx, client.HistoryQuery{By: "10.1.1.1"}); err != nil || len(after) != 20 {
		t.Errorf("after a flood of another: want 20 entries, got %d, %v", len(after), err)
	}
	all, err := m.History(ctx, client.HistoryQuery{})
	if err != nil || len(all) > most+1 || len(all) < most-2 {
		t.Errorf("want about %d entries, one record having two, of all, got %d, %v", most, len(all), err)
	}
	var out any
	if err := m.Raw(ctx, fmt.Sprintf("/api/v1/history/volume/w?at=%d", early), &out); !client.IsCode(err, model.CodeNotFound) {
		t.Errorf("a state behind a gap: want a refusal, got %v, %v", out, err)
	}
	recent := m.Catalog.Revision() - 2
	if err := m.Raw(ctx, fmt.Sprintf("/api/v1/history/volume/w?at=%d", recent), &out); err != nil {
		t.Errorf("a state before a gap: %v", err)
	}
}
