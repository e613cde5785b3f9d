// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// A snapshot stays as it was, whatever comes after it.
func TestSnapshotsDoNotChange(t *testing.T) {
	s := newStore("", time.Now)
	put := func(kind, key, object string) {
		s.event(model.Event{Type: model.EventPut, Kind: kind, Key: key, Object: []byte(object)})
	}
	put("network", "t:n", `{"tenantName":"t","networkName":"n"}`)
	var all []*Snapshot
	var said []string
	say := func(x *Snapshot) string {
		var ids, events []string
		for _, e := range x.Endpoints {
			ids = append(ids, e.EndpointID+" on "+e.HomingHost)
		}
		for _, e := range x.Events {
			events = append(events, e.Key)
		}
		return fmt.Sprint(ids, events, x.Pools, x.Answers)
	}
	q := Question{Topic: Leadership}
	for i := range EventLimit + 300 {
		s.applyHappened(HappenedInput{Changes: []model.HistoryEntry{{Sequence: uint64(i + 1), Verb: "create", Kind: "endpoint", Key: fmt.Sprint("e", i%7)}}})
		put("endpoint", fmt.Sprint("e", i%7), fmt.Sprintf(`{"key":"e%d","endpointID":"e%d","network":"n.t","homingHost":"h%d"}`, i%7, i%7, i))
		switch i % 3 {
		case 0:
			s.pool("t:n", Pool{Count: i})
		case 1:
			s.answer(q, i, nil)
		case 2:
			s.answer(q, nil, errors.New(fmt.Sprint("error ", i)))
		}
		if i%50 == 0 {
			all, said = append(all, s.snapshot()), append(said, say(s.snapshot()))
		}
	}
	for i, x := range all {
		if now := say(x); now != said[i] {
			t.Fatalf("snapshot %d was\n%s\nand became\n%s", i, said[i], now)
		}
	}
	if last := s.snapshot(); len(last.Events) != EventLimit || last.Events[EventLimit-1].Key != fmt.Sprint("e", (EventLimit+299)%7) || len(last.Endpoints) != 7 {
		t.Errorf("want the last %d events and 7 endpoints, got %d and %d", EventLimit, len(last.Events), len(last.Endpoints))
	}
}

// Nothing is checked while nothing is due.
func TestRest(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	i := newRequester()
	if _, none := i.untilDue(now); !none {
		t.Error("nothing is due: want no pause")
	}
	slow, fast := Question{Topic: History}, Question{Topic: Leadership}
	i.wanted = []Question{slow, fast}
	if due := i.due(now); !slices.Equal(due, i.wanted) {
		t.Fatalf("want both, got %v", due)
	}
	if _, none := i.untilDue(now); !none {
		t.Error("both are in progress: an answer wakes")
	}
	i.done(slow)
	if rest, none := i.untilDue(now.Add(time.Second)); none || rest != slow.Topic.Interval()-time.Second {
		t.Errorf("want %v, got %v", slow.Topic.Interval()-time.Second, rest)
	}
	i.done(fast)
	if rest, _ := i.untilDue(now.Add(time.Second / 4)); rest != fast.Topic.Interval()-time.Second/4 {
		t.Errorf("want the faster, got %v", rest)
	}
	for host := range 1000 {
		i.wanted = append(i.wanted, Question{Topic: Rules, Host: fmt.Sprint(host)})
	}
	if rest := i.interval(i.wanted[5]); rest != 1002*time.Second/asksASecond {
		t.Errorf("of very many questions: want each asked less often, got every %v", rest)
	}
}
