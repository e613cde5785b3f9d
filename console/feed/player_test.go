// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

var began = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// lived sends a store a minute and a half of a cluster's life, a step a second, and returns the recording and what was shown after each
// step.
func lived(t *testing.T) (inputs []Input, shown []*Snapshot) {
	t.Helper()
	now := began
	s := newStore("http://m", func() time.Time { return now })
	s.recorder = func(in Input) { inputs = append(inputs, in) }
	raw := func(v any) json.RawMessage {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	s.event(model.Event{Type: model.EventFull, Kind: "network", Items: []json.RawMessage{raw(&model.Network{TenantName: "t", NetworkName: "n"})}, Revision: 1})
	s.event(model.Event{Type: model.EventFull, Kind: "endpoint", Revision: 1})
	s.event(model.Event{Type: model.EventSync, Revision: 1})
	shown = append(shown, s.snapshot())
	for i := range 90 {
		now = now.Add(time.Second)
		n := uint64(i)
		switch i % 7 {
		case 0:
			key := fmt.Sprintf("n.t-%02d", i)
			s.event(model.Event{Type: model.EventPut, Kind: "endpoint", Key: key, Object: raw(&model.EndpointOper{Key: key, Network: "n.t", EndpointID: fmt.Sprint(i)}), Revision: 2 + n})
		case 1:
			s.nodes([]model.Node{{Name: "h1", Role: model.RoleAgent, Since: "x", FlowMods: 10 * n}})
		case 2:
			s.pool("t:n", Pool{Count: i, At: now})
		case 3:
			s.answer(Question{Topic: Flows, Host: "h1"}, []model.Flow{{Table: "a", Packets: n}}, nil)
		case 4:
			s.answer(Question{Topic: Leadership}, nil, fmt.Errorf("silent %d", i))
		case 5:
			s.failed(fmt.Errorf("refused %d", i), true)
		case 6:
			s.event(model.Event{Type: model.EventDelete, Kind: "endpoint", Key: fmt.Sprintf("n.t-%02d", i-6), Revision: 2 + n})
		}
		shown = append(shown, s.snapshot())
	}
	return inputs, shown
}

// The player shows what was shown at a moment, however it gets there: forward, back or by leaps.
func TestPlayerShowsWhatWasShown(t *testing.T) {
	inputs, shown := lived(t)
	p, err := NewPlayer("http://m", inputs)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Begin().Equal(began) || !p.End().Equal(began.Add(90*time.Second)) {
		t.Fatalf("want 90 s from %v, got %v to %v", began, p.Begin(), p.End())
	}
	var way []int
	for i := range shown {
		way = append(way, i)
	}
	for i := range shown {
		way = append(way, len(shown)-1-i, i*37%len(shown))
	}
	for _, i := range way {
		got := p.Seek(began.Add(time.Duration(i) * time.Second))
		if !reflect.DeepEqual(got, shown[i]) {
			t.Fatalf("second %d: want\n%+v, got\n%+v", i, shown[i], got)
		}
	}
}

func TestPlayerBeforeAndAfter(t *testing.T) {
	inputs, shown := lived(t)
	p, err := NewPlayer("http://m", inputs)
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Seek(began.Add(time.Hour)); !reflect.DeepEqual(s, shown[len(shown)-1]) {
		t.Errorf("after the end: want the last state, got %+v", s)
	}
	if s := p.Seek(began.Add(-time.Hour)); s.Synced || len(s.Objects["network"]) > 0 {
		t.Errorf("before the beginning: want nothing, got %+v", s)
	}
	if a, b := p.Seek(began.Add(time.Hour)), p.Seek(began.Add(time.Hour)); a != b {
		t.Error("want the same snapshot while nothing changes: pages keep what they made of it")
	}
}

// A description, as earlier versions recorded it, is an answer; nothing can be changed.
func TestPlayerAnswersAndRefuses(t *testing.T) {
	described := func(n int, text, err string) Input {
		return Input{At: began.Add(time.Duration(n) * time.Second), Description: &Description{Kind: "network", Key: "t:n", Text: text, Err: err}}
	}
	p, err := NewPlayer("", []Input{{At: began}, described(1, "one", ""), described(3, "", "gone")})
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Topic: Text, Kind: "network", Key: "t:n"}
	for at, want := range []string{"", "one", "one", "one"} {
		if text, _, _ := Of[string](p.Seek(began.Add(time.Duration(at)*time.Second)), q); text != want {
			t.Errorf("second %d: want %q, got %q", at, want, text)
		}
	}
	if p.Put(t.Context(), &model.Network{}) == nil || p.Delete(t.Context(), model.KindNetwork(), "t:n") == nil {
		t.Error("want changes refused")
	}
	if _, err := NewPlayer("", nil); err == nil {
		t.Error("want an empty recording refused")
	}
}

// However long a recording is, few moments of it are kept, and each is shown as it was.
func TestMarksAreFew(t *testing.T) {
	begin := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	var inputs []Input
	for i := range 10 * maxCheckpoints {
		inputs = append(inputs, Input{At: begin.Add(time.Duration(i) * checkpointInterval), Event: &model.Event{Type: model.EventSync, Revision: uint64(i)}})
	}
	p, err := NewPlayer("", inputs)
	if err != nil {
		t.Fatal(err)
	}
	p.Seek(p.End())
	if len(p.checkpoints) > maxCheckpoints || len(p.checkpoints) < maxCheckpoints/4 {
		t.Errorf("want at most %d marks, got %d", maxCheckpoints, len(p.checkpoints))
	}
	for _, i := range []int{0, 1, maxCheckpoints, 7 * maxCheckpoints, 10*maxCheckpoints - 1, 3} {
		if s := p.Seek(inputs[i].At); s.Revision != uint64(i) {
			t.Errorf("moment %d: want revision %d, got %d", i, i, s.Revision)
		}
	}
}
