// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"fmt"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// Nodes and the lock are read at different times: the source with the newer term names the leader on all pages.
func TestLead(t *testing.T) {
	master := func(name string, role model.NodeRole, term uint64) model.Node {
		return model.Node{Name: name, Address: name + ":1", Role: role, Ready: true, Since: "x", Term: term}
	}
	lost := model.Node{Name: "m3", Address: "m3:1", Role: model.RoleUnknown, Reason: "did not answer"}
	for _, row := range []struct {
		name  string
		nodes []model.Node
		lock  *model.Leadership
		want  string
	}{
		{"nothing has come yet", nil, nil, "? 0:"},
		{"nodes only", []model.Node{master("m1", model.RoleLeader, 7), master("m2", model.RoleFollower, 7), lost}, nil, "m1:1 7: leader follower unknown"},
		{"the lock has moved since", []model.Node{master("m1", model.RoleLeader, 7), master("m2", model.RoleFollower, 7)}, &model.Leadership{Holder: "m2:1", Term: 9}, "m2:1 9: follower leader"},
		{"the lock was read before", []model.Node{master("m1", model.RoleFollower, 9), master("m2", model.RoleLeader, 9)}, &model.Leadership{Holder: "m1:1", Term: 7}, "m2:1 9: follower leader"},
		{"the term has ended since", []model.Node{master("m1", model.RoleFollower, 7), master("m2", model.RoleFollower, 7)}, &model.Leadership{Holder: "m1:1", Term: 7}, " 7: follower follower"},
		{"the holder does not answer", []model.Node{master("m1", model.RoleFollower, 6), lost}, &model.Leadership{Holder: "m3:1", Term: 7}, "m3:1 7: follower unknown"},
		{"a netmaster that has lost the store", []model.Node{{Name: "m1", Address: "m1:1", Role: model.RoleFollower, Since: "x", Term: 7}, lost}, &model.Leadership{Holder: "m3:1", Term: 7}, "m3:1 7: follower unknown"},
		{"the lock only", nil, &model.Leadership{Holder: "m1:1", Term: 7}, "m1:1 7:"},
	} {
		s := &Snapshot{Nodes: row.nodes, Answers: map[Question]Answer{}}
		if row.lock != nil {
			s.Answers[Question{Topic: Leadership}] = Answer{Value: *row.lock}
		}
		lead := s.Lead()
		got := fmt.Sprintf("%s %d:", lead.Address, lead.Term)
		if !lead.Known {
			got = "?" + got
		}
		for i := range s.Nodes {
			got += " " + string(s.RoleOf(&s.Nodes[i]))
		}
		if got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}
