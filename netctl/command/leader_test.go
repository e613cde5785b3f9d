// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/term"
)

func TestLeaderAndMatrix(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, line := range []string{
		"network create blue -s 10.1.1.0/24", "group create blue web", "policy create db-in", "policy rule-add db-in base -direction in -action deny",
		"policy rule-add db-in pg -direction in -protocol tcp -port 5432 -from-group web -action allow -priority 10",
		"group create blue db -p db-in",
	} {
		if r := netctl(t, t.Context(), m.URL, strings.Fields(line)...); r.code != 0 {
			t.Fatalf("%s: %s%s", line, r.out, r.err)
		}
	}
	tests := []struct {
		line string
		code int
		want []string
	}{
		{"leader", 0, []string{"127.0.0.1:9999 holds /contiv.io/lock/netmaster/leader, term ", "Store member", "store memory, one read took"}},
		{"leader -o jsonpath={.holder}", 0, []string{"127.0.0.1:9999\n"}},
		{"leader -o jsonpath={.store.members[0].name}", 0, []string{"memory\n"}},
		{"leader now", 1, []string{"More arguments"}},
		{"leader handover", 3, []string{"no other netmaster to hand over to"}},
		{"leader handover --to h9", 3, []string{"no netmaster is called", "h9", "nothing has been changed"}},
		{"leader handover --to 127.0.0.1:9999", 0, []string{"127.0.0.1:9999 is already the leader"}},
		{"leader handover h9", 1, []string{"More arguments"}},
		{"leader peers", 0, []string{"From  To  State"}},
		{"leader peers -o jsonpath={.rows[0].from}", 0, []string{"127.0.0.1:9999\n"}},
		{"leader peers now", 1, []string{"More arguments"}},
		{"matrix", 0, []string{
			"From \\ To  db        web  outside\n",
			"db         none      all  all\n", "web        tcp 5432  all  all\n", "outside    none      all  not judged\n"}},
		{"matrix web db", 0, []string{"tcp 5432  allowed                 default:db-in:pg\n", "other     denied                  default:db-in:base\n"}},
		{"matrix -o jsonpath={[?(@.from=='web')].sum}", 0, []string{"tcp 5432 all all\n"}},
		{"matrix -t absent", 3, []string{"tenant not found"}},
		{"matrix web", 1, []string{"expected [FROM TO]"}},
		{"matrix web absent", 3, []string{"absent"}},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			r := netctl(t, t.Context(), m.URL, strings.Fields(tt.line)...)
			for _, want := range tt.want {
				if !strings.Contains(r.out+r.err, want) {
					t.Errorf("want %q, got:\n%s%s", want, r.out, r.err)
				}
			}
			if r.code != tt.code {
				t.Errorf("want code %d, got %d", tt.code, r.code)
			}
		})
	}
}

// The leader and the roles of masters agree although they are requested one after the other; the role of a silent one is unknown.
func TestLeaderAgrees(t *testing.T) {
	var out bytes.Buffer
	err := writeLeadership(&Factory{Streams: term.Streams{Out: &out}}, model.Leadership{Key: "lock", Holder: "m2:1", Term: 9}, []model.Node{
		{Address: "m1:1", Role: model.RoleLeader, Ready: true, Since: "x", Term: 7}, {Address: "m2:1", Role: model.RoleFollower, Ready: true, Since: "x", Term: 7},
		{Address: "m3:1", Role: model.RoleUnknown, Reason: "did not answer"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`m2:1 holds lock, term 9`, `m1:1 +follower `, `m2:1 +leader `, `m3:1 +unknown +false +\? +\? +\? +\? +\? +did not answer`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("want %s, got:\n%s", want, out.String())
		}
	}
}
