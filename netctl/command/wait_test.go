// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// The error of an expired wait lists the agents that lack the change, how far they are behind, and their reasons.
func TestBehind(t *testing.T) {
	agent := func(name string, lag uint64, reason string) model.Node {
		return model.Node{Name: name, Role: model.RoleAgent, Lag: lag, Ready: reason == "", Reason: reason}
	}
	got := behind([]model.Node{agent("h1", 0, ""), agent("h2", 1, "waits for ovs-vswitchd"), agent("h3", 7, ""), agent("h4", 0, "waits for the store"),
		{Name: "h5", Role: model.RoleAgent, Down: true, Reason: "its agent is down"}, {Name: "m", Role: model.RoleFollower, Lag: 9}})
	want := []string{"h2 (1 revision behind, waits for ovs-vswitchd)", "h3 (7 revisions behind)", "h4 (waits for the store)"}
	if !slices.Equal(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
}
