// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

func TestTalkers(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	event := func(from string, verdict model.ObservedVerdict, port int, count uint64) model.Observed {
		at = at.Add(time.Second)
		return model.Observed{Time: at, Verdict: verdict, From: &model.ObservedEnd{Address: from}, To: &model.ObservedEnd{Address: "10.0.0.9"}, Proto: "tcp", Port: port, Count: count}
	}
	closed := event("10.0.0.1", model.ObservedClosed, 80, 0)
	closed.Sent, closed.Got = &model.FlowCount{Bytes: 100}, &model.FlowCount{Bytes: 900}
	var got []string
	for _, x := range talkersOf([]model.Observed{event("10.0.0.1", model.ObservedOpened, 80, 0), closed, event("10.0.0.2", model.ObservedRefused, 22, 7), event("10.0.0.1", model.ObservedOpened, 80, 0),
		event("10.0.0.2", model.ObservedDropped, 22, 0), {Verdict: model.ObservedUnknown, Reason: "who knows"}}) {
		got = append(got, fmt.Sprint(x.from, " ", x.to, " ", x.traffic, " ", x.opened, " ", x.refused, " ", x.bytes, " ", x.counted))
	}
	if want := []string{"10.0.0.2 10.0.0.9 tcp/22 0 8 0 false", "10.0.0.1 10.0.0.9 tcp/80 2 0 1000 true"}; !slices.Equal(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
}
