// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// A netmaster may restart only while a majority of the store's members, or another netmaster, remains.
func TestRemaining(t *testing.T) {
	members := func(states ...string) (out []model.StoreMember) { // "h2 refused" is member h2 with that error
		for _, s := range states {
			name, problem, _ := strings.Cut(s, " ")
			out = append(out, model.StoreMember{Name: name, Error: problem})
		}
		return out
	}
	for _, row := range []struct {
		name, member string
		members      []model.StoreMember
		masters      []string
		want, refuse string
	}{
		{"three", "h1", members("h1", "h2", "h3"), nil, "h2, h3; 2 of 3", ""},
		{"one is down", "h1", members("h1", "h2", "h3 refused"), nil, "", "h3 (refused)"},
		{"this one is down", "h1", members("h1 refused", "h2", "h3"), nil, "h2, h3", ""},
		{"five, one is down", "h1", members("h1", "h2", "h3", "h4", "h5 refused"), nil, "h2, h3, h4; 3 of 5", ""},
		{"two", "h1", members("h1", "h2"), nil, "", "has 2 members"},
		{"one", "h1", members("h1"), nil, "", "the only member"},
		{"unknown", "h1", nil, nil, "", "netctl leader"},
		{"external store, another", "", members("a", "b"), []string{"own", "192.0.2.2:9999"}, "192.0.2.2:9999", ""},
		{"external store, none", "", members("a", "b"), []string{"own"}, "", "no other netmaster"},
	} {
		leases := []model.KeyLease{{Key: record.LeaderKey}}
		for _, at := range row.masters {
			leases = append(leases, model.KeyLease{Key: record.Services + record.ServiceMaster + "/" + at})
		}
		got, err := remaining("own", row.member, &model.Leadership{Store: model.StoreState{Members: row.members}, Leases: leases})
		switch {
		case row.refuse == "" && (err != nil || !strings.Contains(got, row.want)):
			t.Errorf("%s: got %q, %v, want %q", row.name, got, err, row.want)
		case row.refuse != "" && (err == nil || !strings.Contains(err.Error(), row.refuse)):
			t.Errorf("%s: got %q, %v, want it refused with %q", row.name, got, err, row.refuse)
		}
	}
	h := &Host{Root: t.TempDir()}
	if got, err := h.MayRestart(t.Context()); err != nil || got != "this host has no netmaster" {
		t.Errorf("no netmaster: got %q, %v", got, err)
	}
}
