// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// Masters that answered at different moments have the roles of the newest term; one that did not answer has none that is known.
func TestRolesAgree(t *testing.T) {
	answered := func(name string, role model.NodeRole, leader string, term uint64) model.Node {
		return model.Node{Name: name, Address: name, Role: role, Ready: true, Since: "2030-01-02T03:04:05Z", Leader: leader, Term: term}
	}
	silent := model.Node{Name: "m3", Address: "m3", Role: model.RoleUnknown, Reason: "did not answer"}
	for _, row := range []struct {
		name  string
		nodes []model.Node
		want  string
	}{
		{"one leads", []model.Node{answered("m1", model.RoleLeader, "m1", 7), answered("m2", model.RoleFollower, "m1", 7)}, "m1 leader, m2 follower"},
		{"the former leader has not noticed", []model.Node{answered("m1", model.RoleLeader, "m1", 7), answered("m2", model.RoleLeader, "m2", 9)}, "m1 follower, m2 leader"},
		{"the new one has only begun", []model.Node{answered("m1", model.RoleFollower, "m2", 9), answered("m2", model.RoleFollower, "m1", 7)}, "m1 follower, m2 leader: " + begins},
		{"the term has ended", []model.Node{answered("m1", model.RoleLeader, "m1", 7), answered("m2", model.RoleFollower, "", 7)}, "m1 follower, m2 follower"},
		{"the leader does not answer", []model.Node{answered("m1", model.RoleFollower, "m3", 7), silent}, "m1 follower, m3 unknown: did not answer"},
		{"older builds say no term", []model.Node{answered("m1", model.RoleLeader, "", 0), answered("m2", model.RoleFollower, "", 0), silent}, "m1 leader, m2 follower, m3 unknown: did not answer"},
	} {
		agree(row.nodes)
		var got []string
		for _, n := range row.nodes {
			text := fmt.Sprintf("%s %s", n.Name, n.Role)
			if !n.Ready {
				text += ": " + n.Reason
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); text != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, text)
		}
	}
}
