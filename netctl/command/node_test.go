// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// A value that a node has not sent is not 0.
func TestNodeRows(t *testing.T) {
	for _, row := range []struct {
		name string
		node model.Node
		want []string
	}{
		{"an agent", model.Node{Name: "h1", Role: model.RoleAgent, Ready: true, Revision: 7, Ports: 3, Missing: 2, Flows: 9, Version: "1", Since: "2030-01-02T15:04:05Z"},
			[]string{"h1", "agent", "yes", "7", "0", "3", "2", "9", "0", "1", ""}},
		{"one that does not answer", model.Node{Name: "h1", Role: model.RoleAgent, Reason: "did not answer"},
			[]string{"h1", "agent", "no", "?", "?", "?", "?", "?", "?", "", "did not answer"}},
		{"one that is not registered", model.Node{Name: "h1", Role: model.RoleAgent, Ports: 2, Reason: "not registered"},
			[]string{"h1", "agent", "no", "?", "?", "2", "?", "?", "?", "", "not registered"}},
		{"a master", model.Node{Name: "192.0.2.1", Role: model.RoleFollower, Ready: true, Revision: 7, Version: "1", Since: "2030-01-02T15:04:05Z"},
			[]string{"192.0.2.1", "follower", "yes", "7", "0", "-", "-", "-", "-", "1", ""}},
		{"a silent master", model.Node{Name: "192.0.2.1", Role: model.RoleUnknown, Reason: "did not answer"},
			[]string{"192.0.2.1", "unknown", "no", "?", "?", "-", "-", "-", "-", "", "did not answer"}},
	} {
		if got := term.ViewRow(model.ViewNodes(), false, &row.node, nil); !slices.Equal(got, row.want) {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}
