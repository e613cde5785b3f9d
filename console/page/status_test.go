// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// ruled returns n rules on one host, of which the first has passed packets.
func ruled(n int, packets uint64) *feed.Snapshot {
	s := &feed.Snapshot{Objects: map[string][]model.Object{}, Nodes: []model.Node{{Name: "h1", Role: model.RoleAgent}}}
	var list []model.RuleStatus
	for i := range n {
		r := &model.Rule{TenantName: "t", PolicyName: "p", RuleId: fmt.Sprintf("%05d", i), Direction: "in", Action: "allow"}
		s.Objects["rule"] = append(s.Objects["rule"], r)
		list = append(list, model.RuleStatus{Rule: r.ObjectKey(), Record: r.RuleId, Phase: "done"})
	}
	list[0].Packets = packets
	s.Answers = map[feed.Question]feed.Answer{{Topic: feed.Rules, Host: "h1"}: {Value: list, At: time.Unix(1, 0)}}
	return s
}

// countedAgain is a snapshot in which nothing but the packets of the first rule changed.
func countedAgain(s *feed.Snapshot, packets uint64) *feed.Snapshot {
	out, q := *s, feed.Question{Topic: feed.Rules, Host: "h1"}
	list := slices.Clone(s.Answers[q].Value.([]model.RuleStatus))
	list[0].Packets = packets
	out.Answers = map[feed.Question]feed.Answer{q: {Value: list, At: time.Unix(2, 0)}}
	return &out
}

// The status of many objects is found in the background: until that is done, rows stay.
func TestStatusInTheBackground(t *testing.T) {
	th, err := theme.New("mono", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 2001} {
		synctest.Test(t, func(t *testing.T) {
			c := Canvas{Width: 120, Height: 10, Theme: th, Now: time.Unix(10, 0), Background: &widget.Background{Ready: func() {}}}
			p := Table(model.KindRule())
			first := func(s *feed.Snapshot) string {
				return strings.Join(strings.Fields(ansi.Strip(p.Body.View(c, s)[1])), " ")
			}
			s := ruled(n, 7)
			if got := first(s); !strings.HasSuffix(got, " 7 ? done") {
				t.Errorf("%d rules: want all in the first frame, got %q", n, got)
			}
			next := countedAgain(s, 8)
			if got := first(next); n > 2000 && !strings.HasSuffix(got, " 7 ? done") {
				t.Errorf("%d rules: want the rows as they were, got %q", n, got)
			}
			synctest.Wait()
			if got := first(next); !strings.HasSuffix(got, " 8 ? done") {
				t.Errorf("%d rules: want the new figures, got %q", n, got)
			}
		})
	}
}
