package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// ruled is n rules on one host, of which the first passed so many packets.
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

// What fares as it did is what it was, whatever came before and behind it.
func TestFaresAreMadeOfThoseBefore(t *testing.T) {
	x := extraOf(model.KindRule())
	s := ruled(5, 1)
	first := x.fares(s, s.Objects["rule"], nil)
	next := countedAgain(s, 2)
	if second := x.fares(next, next.Objects["rule"], first); second[0] == first[0] || second[0].cells[0] != "2" || !slices.Equal(second[1:], first[1:]) {
		t.Errorf("want another first one alone, got %v after %v", second, first)
	}
	objects := slices.Delete(slices.Clone(s.Objects["rule"]), 1, 2)
	objects[2] = &model.Rule{TenantName: "t", PolicyName: "p", RuleId: "00003"}
	if third := x.fares(s, objects, first); third[0] != first[0] || third[1] != first[2] || third[2] == first[3] || third[3] != first[4] {
		t.Errorf("one is gone, one is another: got %v after %v", third, first)
	}
}

// Of many objects it is found out at the desk how they fare; until that is done, and of what says nothing of them, rows stay.
func TestFaresAtTheDesk(t *testing.T) {
	th, err := theme.New("mono", true)
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	c := Canvas{Width: 120, Height: 10, Theme: th, Now: time.Unix(10, 0), Desk: &widget.Desk{Ready: func() { ready <- struct{}{} }}}
	p := NewTable(model.KindRule())
	row := func(s *feed.Snapshot) string { return strings.Join(p.rows(c, s).At(0).Cells, " ") }
	for _, n := range []int{2, fewFares + 1} {
		p = NewTable(model.KindRule())
		may := make(chan struct{}, 1) // find out how rules fare, once
		p.extra.prepare = func(s *feed.Snapshot) func(model.Object) ([]string, theme.Role) {
			<-may
			return rulesFare(s)
		}
		may <- struct{}{}
		s := ruled(n, 7)
		if got := row(s); !strings.HasSuffix(got, " 7 ? done") {
			t.Errorf("%d rules: want the first frame to tell all, got %q", n, got)
		}
		next := countedAgain(s, 8)
		if n > fewFares {
			if got := row(next); !strings.HasSuffix(got, " 7 ? done") {
				t.Errorf("%d rules: want the rows as they were, got %q", n, got)
			}
		}
		if may <- struct{}{}; n > fewFares {
			<-ready
		}
		if got := row(next); !strings.HasSuffix(got, " 8 ? done") {
			t.Errorf("%d rules: want the new figures, got %q", n, got)
		}
		calm := *next
		calm.Revision++
		list := p.listing.fares.list
		if row(&calm); !same(p.listing.fares.list, list) || p.listing.fares.doing != nil {
			t.Errorf("%d rules: nothing is news, want the same rows without work", n)
		}
	}
}
