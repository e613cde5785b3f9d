// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
)

func TestSamplerRates(t *testing.T) {
	now := time.Unix(1000, 0)
	var flows []bridge.LiveFlow
	reads := 0
	s := newSampler(func(context.Context) ([]bridge.LiveFlow, error) { reads++; return flows, nil }, func() time.Time { return now })
	one := func(packets uint64) []bridge.LiveFlow {
		return []bridge.LiveFlow{{Flow: flow.Flow{Key: flow.Key{Table: 4}}, Packets: packets, Bytes: 100 * packets}}
	}
	rows := []struct {
		name  string
		after time.Duration
		flows []bridge.LiveFlow
		want  *model.FlowRate
		reads int
	}{
		{"the first time", 0, one(10), nil, 1},
		{"again at once", 999 * time.Millisecond, one(500), nil, 1},
		{"after two seconds", 1001 * time.Millisecond, one(30), &model.FlowRate{Packets: 10, Bytes: 1000}, 2},
		{"nothing went by", time.Second, one(30), &model.FlowRate{}, 3},
		{"counters were reset", time.Second, one(5), &model.FlowRate{Packets: 5, Bytes: 500}, 4},
		{"too long after", time.Minute, one(50), nil, 5},
	}
	for _, r := range rows {
		now, flows = now.Add(r.after), r.flows
		got, err := s.sample(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rate := got.rate(&got.flows[0])
		if (rate == nil) != (r.want == nil) || rate != nil && *rate != *r.want {
			t.Errorf("%s: want %+v, got %+v", r.name, r.want, rate)
		}
		if reads != r.reads {
			t.Errorf("%s: want %d readings of the switch, got %d", r.name, r.reads, reads)
		}
	}
}

// However many ask at once, the switch is read once.
func TestSamplerIsShared(t *testing.T) {
	var mu sync.Mutex
	reads := 0
	s := newSampler(func(context.Context) ([]bridge.LiveFlow, error) {
		mu.Lock()
		defer mu.Unlock()
		reads++
		return nil, nil
	}, func() time.Time { return time.Unix(1000, 0) })
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, err := s.sample(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if reads != 1 {
		t.Errorf("want one reading, got %d", reads)
	}
}

func TestSamplerFails(t *testing.T) {
	gone := errors.New("gone")
	s := newSampler(func(context.Context) ([]bridge.LiveFlow, error) { return nil, gone }, time.Now)
	if _, err := s.sample(context.Background()); !errors.Is(err, gone) {
		t.Errorf("want the switch's error, got %v", err)
	}
	s.turn <- struct{}{} // someone else waits for a switch that does not answer
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.sample(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("want to give up with the request, got %v", err)
	}
}
