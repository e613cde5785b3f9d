// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Events are what the history and the timeline say, by time, nothing twice; what an older snapshot has does not change.
func TestHappened(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s := newStore("", func() time.Time { return now })
	changes := []model.HistoryEntry{
		{Sequence: 1, Verb: "create", Kind: "tenant", Key: "a", Revision: 4, Time: now.Add(-2 * time.Hour), By: model.Actor{Claimed: "ann@laptop"}},
		{Sequence: 2, Verb: "update", Kind: "rule", Key: "a:p:1", Revision: 6, Time: now, Changes: []model.Change{{Field: "port", Old: 80, New: 8080}}},
	}
	found := []model.TimelineEvent{{Number: 1, Time: now.Add(-time.Hour), Code: "service-empty", Object: "service/a:s", Severity: "warning", Evidence: "no provider"}}
	s.applyHappened(HappenedInput{Changes: changes[:1]})
	before := s.snapshot()
	s.applyHappened(HappenedInput{Changes: changes, Findings: found})
	s.applyHappened(HappenedInput{Changes: changes, Findings: found})
	var got []string
	for _, e := range s.snapshot().Events {
		got = append(got, strings.Join([]string{e.At.UTC().Format(time.TimeOnly), string(e.Type), e.Kind, e.Key, e.Text, e.Change}, " "))
	}
	want := []string{"01:04:05 create tenant a  ", "02:04:05 found finding service/a:s service-empty: no provider ", "03:04:05 update rule a:p:1  port: 80 -> 8080"}
	if !slices.Equal(got, want) {
		t.Errorf("want %q\ngot  %q", want, got)
	}
	if len(before.Events) != 1 || before.Events[0].By == "" {
		t.Errorf("an older snapshot changed, or says not who it was: %+v", before.Events)
	}
}

// An event is what somebody did: that the links of other objects follow from it is none.
func TestNoEventsOfLinks(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24")
	f := New(m.Client, time.Now)
	snapshots := make(chan *Snapshot)
	go func() {
		_ = f.Run(t.Context(), func(s *Snapshot) {
			select {
			case snapshots <- s:
			case <-t.Context().Done():
			}
		})
	}()
	of := func(s *Snapshot) (out []string) {
		for _, e := range s.Events {
			if e.Kind != NodeKind && e.Kind != FindingKind {
				out = append(out, string(e.Type)+" "+e.Kind+" "+e.Key)
			}
		}
		return out
	}
	until(t, "what was there", snapshots, func(s *Snapshot) bool { return slices.Contains(of(s), "create network default:blue") })
	m.Must(t, "policy p", "group web networkName=blue policies=p", "rule p:1 direction=in action=allow fromEndpointGroup=web")
	s := until(t, "the rule", snapshots, func(s *Snapshot) bool { return slices.Contains(of(s), "create rule default:p:1") })
	want := []string{"create global global", "create tenant default", "create network default:blue", "create policy default:p", "create endpointGroup default:web", "create rule default:p:1"}
	if got := of(s); !slices.Equal(got, want) {
		t.Errorf("want %q\ngot  %q", want, got)
	}
}
