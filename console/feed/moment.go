// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

// maxMarks bounds the changes, and the findings, that Snapshot.Marks has: the newest.
const maxMarks = 2000

// marksKept is how long marks are shown before they are requested again.
const marksKept = 10 * time.Second

// Mark is a moment at which something happened.
type Mark struct {
	At      time.Time
	Finding bool // a finding began or ended; false: an object changed
}

// travel is the moment that a feed is to show.
type travel struct {
	mu    sync.Mutex
	to    time.Time     // zero: the present
	moved chan struct{} // closed when to changes
	marks []Mark
	known time.Time // when marks were requested
}

// Travel has the feed show an earlier moment from now on; the zero time: the present. It does not block. The snapshots have the moment in
// Moment.
func (f *Feed) Travel(to time.Time) {
	f.travel.mu.Lock()
	defer f.travel.mu.Unlock()
	if f.travel.to.Equal(to) {
		return
	}
	f.travel.to = to
	close(f.travel.moved)
	f.travel.moved = make(chan struct{})
}

func (f *Feed) destination() (time.Time, <-chan struct{}) {
	f.travel.mu.Lock()
	defer f.travel.mu.Unlock()
	return f.travel.to, f.travel.moved
}

// enter prepares the feed for the moment that it is to show.
func (f *Feed) enter(at time.Time) {
	if at.Equal(f.store.last.Moment) {
		return
	}
	recorder, base := f.store.recorder, f.store.last.Base
	f.store, f.client, f.list, f.trends = newStore(base, f.now), f.live, nodeList{}, &trends{}
	f.store.recorder = recorder
	if !at.IsZero() {
		f.client = f.live.AsOf(at.UTC().Format(time.RFC3339Nano))
		f.store.now, f.store.last.Moment = func() time.Time { return at }, at
	}
	f.past = happening{client: f.client}
	f.requester.restart()
}

// during shows the moment that is to be shown until another one is, or ctx ends.
func (f *Feed) during(ctx context.Context, publish func(*Snapshot)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	at, moved := f.destination()
	go func() {
		select {
		case <-moved:
			cancel()
		case <-ctx.Done():
		}
	}()
	f.enter(at)
	if at.IsZero() {
		return f.follow(ctx, publish)
	}
	group, during := errgroup.WithContext(ctx)
	group.Go(func() error { f.load(during); return nil })
	group.Go(func() error { return f.askWanted(during) })
	group.Go(func() error { return f.publish(during, publish) })
	return group.Wait()
}

// load reads the moment, again and again while no netmaster answers.
func (f *Feed) load(ctx context.Context) {
	for ctx.Err() == nil {
		err := f.read(ctx)
		switch {
		case err == nil || ctx.Err() != nil:
			return
		case !client.IsCode(err, model.CodeUnavailable):
			f.store.change(func() { f.store.last.Refused = err.Error() })
			return
		}
		f.store.failed(err, true)
		pause(ctx, pollInterval)
	}
}

// read reads the objects of the moment, what had happened up to it, and the addresses of networks.
func (f *Feed) read(ctx context.Context) error {
	marks := f.marks(ctx)
	f.store.change(func() { f.store.last.Marks = marks })
	if err := f.receive(ctx); err != nil {
		return err
	}
	f.past.look(ctx, f.store, time.Now())
	f.pools(ctx, f.store.stale(len(f.store.snapshot().Objects[model.KindNetwork().Name])))
	return nil
}

// receive receives everything once.
func (f *Feed) receive(ctx context.Context) error {
	for e, err := range f.client.Watch(ctx, nil) {
		if err != nil {
			return err
		}
		f.store.event(e)
		if e.Type == model.EventSync {
			return nil
		}
	}
	return errors.Join(ctx.Err())
}

// marks are the newest changes and findings until now, the oldest first, as far as the user may see them.
func (f *Feed) marks(ctx context.Context) []Mark {
	f.travel.mu.Lock()
	kept, known := f.travel.marks, f.travel.known
	f.travel.mu.Unlock()
	if now := f.now(); now.Sub(known) < marksKept {
		return kept
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var out []Mark
	changes, wrong := f.live.History(ctx, client.HistoryQuery{Limit: maxMarks})
	for i := range changes {
		out = append(out, Mark{At: changes[i].Time})
	}
	found, err := f.live.Timeline(ctx, client.TimelineQuery{Limit: maxMarks})
	for i := range found {
		out = append(out, Mark{At: found[i].Time, Finding: true})
	}
	slices.SortStableFunc(out, func(a, b Mark) int { return a.At.Compare(b.At) })
	if errors.Join(wrong, err) == nil {
		f.travel.mu.Lock()
		f.travel.marks, f.travel.known = out, f.now()
		f.travel.mu.Unlock()
	}
	return out
}

// errPast is the reason why nothing changes at an earlier moment.
var errPast = errors.New("the past cannot be changed")

// changeable returns the reason why nothing can be changed; nil: it can.
func (f *Feed) changeable() error {
	if at, _ := f.destination(); !at.IsZero() {
		return errPast
	}
	return nil
}
