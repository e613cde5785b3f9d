// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

const (
	pollInterval  = time.Second
	frameInterval = 150 * time.Millisecond // the shortest time between two snapshots
	askTimeout    = 3 * time.Second        // for one question
	nodesASecond  = 250                    // nodes requested; the nodes of a larger cluster are polled less often
	pollSlowest   = 4 * time.Second        // however many there are
)

// Feed follows one cluster.
type Feed struct {
	live      *client.Client   // of the present
	client    *client.Client   // of the moment that is shown
	now       func() time.Time // the clock of the present
	travel    travel
	store     *store
	requester *requester
	turn      int      // index of the network that is requested next although nothing happened in it
	list      nodeList // of the poll
	trends    *trends
	past      happening
}

// New makes a Feed on a client. now is the clock that dates events and answers.
func New(c *client.Client, now func() time.Time) *Feed {
	return &Feed{live: c, client: c, now: now, travel: travel{moved: make(chan struct{})}, store: newStore(c.Base, now), requester: newRequester(), trends: &trends{},
		past: happening{client: c}}
}

// Run follows the cluster until ctx ends, and passes each new state to publish, which may block: changes of the meantime are merged into
// the next state. It restores a broken connection; the snapshots report that. After Travel it passes on the state of that moment.
func (f *Feed) Run(ctx context.Context, publish func(*Snapshot)) error {
	for ctx.Err() == nil {
		if err := f.during(ctx, publish); err != nil {
			return err
		}
	}
	return nil
}

// follow follows the present until ctx ends.
func (f *Feed) follow(ctx context.Context, publish func(*Snapshot)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return f.watch(ctx) })
	group.Go(func() error { return f.poll(ctx) })
	group.Go(func() error { return f.askWanted(ctx) })
	group.Go(func() error { f.past.follow(ctx, f.store); return nil })
	if f.store.recorder != nil {
		group.Go(func() error { return f.pollQuestions(ctx) })
	}
	group.Go(func() error { return f.publish(ctx, publish) })
	return group.Wait()
}

// publish passes each new state on until ctx ends.
func (f *Feed) publish(ctx context.Context, publish func(*Snapshot)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.store.changed:
			publish(f.store.snapshot())
		}
		pause(ctx, frameInterval)
	}
}

// Once waits until everything has been received and returns it: the state of a single frame. wants returns the questions to ask, from the
// state without them; nil: none.
func (f *Feed) Once(ctx context.Context, wants func(*Snapshot) []Question) (*Snapshot, error) {
	if at, _ := f.destination(); at.IsZero() {
		f.nodes(ctx)
		if err := f.receive(ctx); err != nil {
			return nil, err
		}
		f.past.look(ctx, f.store, time.Now())
		f.pools(ctx, f.store.stale(len(f.store.snapshot().Objects[model.KindNetwork().Name])))
	} else {
		f.enter(at)
		if err := f.read(ctx); err != nil {
			return nil, err
		}
	}
	if wants != nil {
		f.askAll(ctx, wants(f.store.snapshot()))
	}
	if f.store.recorder != nil {
		f.askAll(ctx, openQuestions(f.store.snapshot()))
	}
	return f.store.snapshot(), ctx.Err()
}

// askAll puts questions at once, and those whose answers are rates twice.
func (f *Feed) askAll(ctx context.Context, questions []Question) {
	again := false
	for round := range 2 {
		var wait sync.WaitGroup
		for _, q := range questions {
			twice := topics[q.Topic].rate
			if again = again || twice; round == 0 || twice {
				wait.Go(func() { _ = f.answer(ctx, q) })
			}
		}
		wait.Wait()
		if !again || round > 0 {
			return
		}
		pause(ctx, pollInterval)
	}
}

func (f *Feed) watch(ctx context.Context) error {
	for ctx.Err() == nil {
		for e, err := range f.client.Watch(ctx, nil) {
			if err != nil {
				f.store.failed(err, true)
				continue
			}
			f.store.event(e)
		}
		// The stream gives up when it is refused; a netmaster that is being replaced may refuse for a moment.
		pause(ctx, pollInterval)
	}
	return nil
}

// poll requests the nodes, and the addresses of networks, until ctx ends.
func (f *Feed) poll(ctx context.Context) error {
	due := time.Time{}
	for ctx.Err() == nil {
		stale := f.store.stale(poolsAtOnce)
		if now := time.Now(); !now.Before(due) {
			f.nodes(ctx)
			s := f.store.snapshot()
			due = now.Add(min(max(pollInterval, time.Duration(len(s.Nodes))*time.Second/nodesASecond), pollSlowest))
			if networks := s.Objects[model.KindNetwork().Name]; len(stale) == 0 && len(networks) > 0 { // holds expire, which is not announced
				f.turn++
				stale = []string{networks[f.turn%len(networks)].ObjectKey()}
			}
		}
		f.pools(ctx, stale)
		pause(ctx, pollInterval)
	}
	return nil
}

func (f *Feed) nodes(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var nodes []model.Node
	err := f.client.Raw(ctx, "/api/v1/nodes", func(in io.Reader) error {
		var text strings.Builder
		_, err := io.Copy(&text, in)
		if err == nil {
			nodes, err = f.list.decode(text.String())
		}
		return err
	})
	if err != nil {
		f.store.failed(err, false)
		return
	}
	f.store.nodes(nodes)
}

// Put creates or changes an object, as netctl apply does. It blocks until netmaster has answered or ctx ends.
func (f *Feed) Put(ctx context.Context, o model.Object) error {
	if err := f.changeable(); err != nil {
		return err
	}
	text, err := json.Marshal(o.Clone()) // without links
	if err != nil {
		return fmt.Errorf("encode %s %s: %w", o.Kind().Name, o.ObjectKey(), err)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("encode %s %s: %w", o.Kind().Name, o.ObjectKey(), err)
	}
	_, _, err = f.live.Apply(ctx, model.ApplyRequest{Objects: []model.ApplyObject{{Kind: o.Kind().Name, Fields: fields}}})
	return err
}

// Delete deletes an object. It blocks until netmaster has answered or ctx ends.
func (f *Feed) Delete(ctx context.Context, kind *model.Kind, key string) error {
	if err := f.changeable(); err != nil {
		return err
	}
	_, err := f.live.Delete(ctx, kind, key)
	return err
}

// Capture captures packets, as lines of text, and blocks until netmaster has found where. The caller closes the stream, which ends by itself
// or with ctx.
func (f *Feed) Capture(ctx context.Context, ask model.CaptureRequest) (*client.Capture, error) {
	if err := f.changeable(); err != nil {
		return nil, err
	}
	ask.Lines = true
	return f.live.Capture(ctx, ask)
}

// HandOver has the leader step down in favour of the master of an address. It blocks until that one accepts writes.
func (f *Feed) HandOver(ctx context.Context, to string) (model.Handover, error) {
	if err := f.changeable(); err != nil {
		return model.Handover{}, err
	}
	return f.live.HandOver(ctx, model.HandoverRequest{To: to})
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
