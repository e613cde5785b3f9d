// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
)

// earlier is the realistic cluster as it is known twelve minutes before now: without nodes, traffic, and what Kubernetes owns.
func earlier() (*feed.Snapshot, time.Time) {
	s, now := realistic()
	at := now.Add(-12 * time.Minute)
	s.Moment, s.Received, s.Nodes, s.Rates, s.Watching = at, at, nil, feed.Rates{}, true
	for _, k := range model.Kinds() {
		if k.Owner != "" {
			s.Objects[k.Name] = nil
		}
	}
	const refused = "at: the answer of this route is not recorded: netmaster knows it only for the present"
	kept := map[feed.Topic]bool{feed.Addresses: true, feed.AddressHistory: true, feed.History: true, feed.Why: true, feed.Described: true, feed.Find: true}
	for q, a := range s.Answers {
		if a.At = at; !kept[q.Topic] {
			a = feed.Answer{Tried: at, Err: refused}
		}
		s.Answers[q] = a
	}
	code := model.FindingUnderlayMTU
	s.Answers[page.HealthQuestion()] = feed.Answer{At: at, Tried: at, Value: model.Health{At: at.Format(time.RFC3339), Endpoints: len(s.Endpoints), Findings: []model.Finding{
		{Code: code, Severity: model.SeverityError, Host: "node-03", Object: "host/node-03", Evidence: "eth1 has an MTU of 1400, want 1550", Remedy: "raise it", Since: at.Add(-time.Hour).Format(time.RFC3339)}}}}
	s.Events = s.Events[:2]
	s.Marks = []feed.Mark{{At: now.Add(-26 * time.Hour)}, {At: now.Add(-3 * time.Hour)}, {At: now.Add(-72 * time.Minute), Finding: true}, {At: at}, {At: now.Add(-14 * time.Second)}, {At: now.Add(-time.Second)}}
	return s, now
}

// returned is a cluster whose earlier moments can be shown.
type returned struct {
	*cluster
	to []time.Time
}

// Travel notes the moment.
func (r *returned) Travel(to time.Time) { r.to = append(r.to, to) }

// past is a model that shows the earlier cluster.
func past(t *testing.T, first *page.Page, width, height int, editor ...string) (*Model, *returned) {
	t.Helper()
	s, now := earlier()
	r := &returned{cluster: &cluster{}}
	m := New(t.Context(), r, mono(t, false), first, now, editor...)
	m.width, m.height = width, height
	m.travel(s.Moment)
	m.Update(s)
	return m, r
}

// Pages of an earlier moment show it and what is not known of it.
func TestGoldenPast(t *testing.T) {
	for name, path := range map[string]string{"overview": "overview", "rules": "rules", "topology": "topology", "findings": "findings", "flows": "flows/node-01", "matrix": "matrix/shop", "logs": "node/node-01",
		"policies": "networkPolicies", "services": "services", "addresses": "addresses"} {
		m, _ := past(t, opened(t, path), 120, 30)
		frame := m.Frame()
		if wrong := exact(frame, 120, 30); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		golden(t, "past-"+name+".txt", Plain(frame)+"\n")
	}
}

// No page calls unknown what is known, or known what is not: none shows a host as there or as missing.
func TestNothingLiveInThePast(t *testing.T) {
	for _, e := range screens() {
		m, _ := past(t, e.make(), minWidth, minHeight)
		frame := Plain(m.Frame())
		for _, wrong := range []string{"no agents registered", "no agent is registered", "0 hosts", "HEALTHY", "● live", "CONNECTION LOST"} {
			if strings.Contains(frame, wrong) {
				t.Errorf("%s: %q in\n%s", e.name, wrong, frame)
			}
		}
		if !strings.Contains(frame, "THE PAST") || !strings.Contains(frame, "past") {
			t.Errorf("%s: the moment is not to be seen in\n%s", e.name, frame)
		}
	}
}

// Keys step through the moments at which something happened, and return to the present.
func TestPastKeys(t *testing.T) {
	s, now := earlier()
	at := s.Moment
	for _, row := range []struct {
		keys string
		want time.Time // zero: the present
	}{
		{"<", now.Add(-72 * time.Minute)},
		{">", now.Add(-14 * time.Second)},
		{"> >", now.Add(-time.Second)},
		{"> > >", time.Time{}},
		{",", at.Add(-time.Minute)},
		{".", at.Add(time.Minute)},
		{"{", at.Add(-time.Hour)},
		{"}", time.Time{}},
		{"ctrl+e", time.Time{}},
		{": n o w enter", time.Time{}},
		{"@ 2 h enter", now.Add(-2 * time.Hour)},
		{": a t space 2 h enter", now.Add(-2 * time.Hour)},
		{": a t enter 2 h enter", now.Add(-2 * time.Hour)},
	} {
		m, r := past(t, opened(t, "events"), 120, 30)
		press(m, strings.Fields(row.keys)...)
		if got := r.to[len(r.to)-1]; !got.Equal(row.want) {
			t.Errorf("%s: want %v, got %v", row.keys, row.want, got)
		}
		if frame := Plain(m.Frame()); !strings.Contains(frame, "going to ") {
			t.Errorf("%s: want where it goes, got\n%s", row.keys, frame)
		}
	}
}

// The last state stays until the moment is complete, and if that cannot be read the console stays where it was.
func TestPastArrives(t *testing.T) {
	m, r := past(t, opened(t, "events"), 120, 30)
	here := m.snapshot
	press(m, ",")
	to := r.to[len(r.to)-1]
	m.Update(&feed.Snapshot{Moment: to})
	m.Update(&feed.Snapshot{Synced: true})
	if m.snapshot != here {
		t.Error("want what was shown, until the moment is complete")
	}
	m.Update(&feed.Snapshot{Moment: to, Refused: "at: the history does not reach back to that moment"})
	if frame := Plain(m.Frame()); m.snapshot != here || !m.goal.Equal(here.Moment) || !strings.Contains(frame, "does not reach back") || !strings.Contains(frame, "THE PAST  2030-01-02 13:50:11") {
		t.Errorf("want the refusal, and the moment of before, got\n%s", frame)
	}
	press(m, ",")
	there := &feed.Snapshot{Moment: to, Synced: true, Received: to}
	m.Update(there)
	if m.snapshot != there || !m.now.Equal(to) {
		t.Errorf("want the moment, got %v", m.now)
	}
	press(m, "ctrl+e")
	m.Update(&feed.Snapshot{Synced: true, Watching: true, Received: m.clock})
	if frame := Plain(m.Frame()); !m.now.Equal(m.clock) || strings.Contains(frame, "PAST") || !strings.Contains(frame, "● live") {
		t.Errorf("want the present, got\n%s", frame)
	}
}

// Nothing is changed in the past, whatever the present permits.
func TestPastIsNotChanged(t *testing.T) {
	for _, keys := range []string{"e", "ctrl+d"} {
		m, _ := past(t, opened(t, "rules"), 120, 30, "true")
		press(m, keys)
		if frame := Plain(m.Frame()); strings.Contains(frame, "delete?") || strings.Contains(frame, "edit ") {
			t.Errorf("%s: want nothing to be changed, got\n%s", keys, frame)
		}
	}
	m, _ := past(t, opened(t, "rules"), 120, 30, "true")
	m.perform(page.Action{HandOver: &page.HandOver{To: "192.0.2.12:9999"}})
	if !strings.Contains(m.notice, "the past cannot be changed: :now returns") {
		t.Errorf("want a refusal, got %q", m.notice)
	}
}

// Commands of the last line print the moment, or say that they print the present.
func TestCommandsAtAMoment(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for command, want := range map[string]string{
		"netctl network ls --all":       "netctl get network --all --at 2030-01-02T03:04:05Z",
		"netctl get group/web -o yaml":  "netctl get group/web -o yaml --at 2030-01-02T03:04:05Z",
		"netctl why a b tcp 80":         "netctl why a b tcp 80 --at 2030-01-02T03:04:05Z",
		"netctl matrix --tenant shop":   "netctl matrix --tenant shop --at 2030-01-02T03:04:05Z",
		"netctl networkpolicy ls --all": "netctl networkpolicy ls --all   (of the present)",
		"netctl node ls":                "netctl node ls   (of the present)",
		"netctl":                        "netctl",
	} {
		if got := page.AtMoment(command, at); got != want {
			t.Errorf("%s: want %q, got %q", command, want, got)
		}
	}
}

// --at begins in the past, and not with what changes or records.
func TestPastOptions(t *testing.T) {
	for _, o := range []options{{at: "2h", write: true}, {at: "2h", record: "f"}, {at: "2h", serve: ":2222"}} {
		if err := o.replayOptions(); err == nil || !strings.Contains(err.Error(), "--at shows the past, which does not change") {
			t.Errorf("%+v: want a refusal, got %v", o, err)
		}
	}
	m, r := past(t, opened(t, "events"), 120, 30)
	if err := (&options{at: "90m"}).travel(m); err != nil || !r.to[len(r.to)-1].Equal(m.clock.Add(-90*time.Minute)) {
		t.Errorf("want 90 minutes ago, got %v, %v", r.to, err)
	}
	if err := (&options{at: "soon"}).travel(m); err == nil || !strings.Contains(err.Error(), "--at: got soon, want a time such as") {
		t.Errorf("want a refusal, got %v", err)
	}
	m.recorder = nil
	plain, _ := still(t, mono(t, false), opened(t, "events"), 120, 30)
	if press(plain, "@", "2", "h", "enter"); !strings.Contains(plain.notice, "only a cluster has earlier moments") {
		t.Errorf("want why there is no past, got %q", plain.notice)
	}
}
