package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

const (
	pollEvery    = time.Second
	frameEvery   = 200 * time.Millisecond // the shortest time between two snapshots
	askLimit     = 3 * time.Second        // for one question
	poolsAtOne   = 16                     // networks inspected in one poll, in turn, while the cluster changes
	nodesASecond = 250                    // asked about; the nodes of a larger cluster are polled less often
	pollSlowest  = 4 * time.Second        // however many there are
)

// Feed follows one cluster.
type Feed struct {
	client  *client.Client
	store   *store
	inquiry *inquiry
	turn    int      // of the networks, which is inspected next
	list    nodeList // of the poll
}

// New makes a Feed on a client. now is the clock that dates events and answers.
func New(c *client.Client, now func() time.Time) *Feed {
	return &Feed{client: c, store: newStore(c.Base, now), inquiry: newInquiry()}
}

// Run follows the cluster until ctx ends, and hands each new state to publish, which may block: what happens meanwhile
// is merged into the next state. A broken connection is made anew; the snapshots tell so.
func (f *Feed) Run(ctx context.Context, publish func(*Snapshot)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return f.watch(ctx) })
	group.Go(func() error { return f.poll(ctx) })
	group.Go(func() error { return f.inquire(ctx) })
	if f.store.tap != nil {
		group.Go(func() error { return f.survey(ctx) })
	}
	group.Go(func() error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-f.store.changed:
				publish(f.store.snapshot())
			}
			pause(ctx, frameEvery)
		}
	})
	return group.Wait()
}

// Once waits until everything has been received and returns it: the state of a single frame. wants says, from what is
// known without, what is to be asked for it; nil: nothing.
func (f *Feed) Once(ctx context.Context, wants func(*Snapshot) []Question) (*Snapshot, error) {
	f.nodes(ctx)
	for e, err := range f.client.Watch(ctx) {
		if err != nil {
			return nil, err
		}
		f.store.event(e)
		if e.Type == model.EventSync {
			break
		}
	}
	f.past(ctx)
	f.pools(ctx, len(f.store.snapshot().Objects[model.KindNetwork().Name]))
	if wants != nil {
		f.askAll(ctx, wants(f.store.snapshot()))
	}
	if f.store.tap != nil {
		f.askAll(ctx, standing(f.store.snapshot()))
	}
	return f.store.snapshot(), ctx.Err()
}

// askAll puts questions at once, and those whose answers are rates twice.
func (f *Feed) askAll(ctx context.Context, questions []Question) {
	again := false
	for round := range 2 {
		var wait sync.WaitGroup
		for _, q := range questions {
			twice := q.Topic == Flows || q.Topic == Rules
			if again = again || twice; round == 0 || twice {
				wait.Go(func() { f.answer(ctx, q) })
			}
		}
		wait.Wait()
		if !again || round > 0 {
			return
		}
		pause(ctx, pollEvery)
	}
}

func (f *Feed) watch(ctx context.Context) error {
	asked := false
	for ctx.Err() == nil {
		for e, err := range f.client.Watch(ctx) {
			if err != nil {
				f.store.failed(err, true)
				continue
			}
			f.store.event(e)
			if e.Type == model.EventSync && !asked {
				asked = true
				f.past(ctx)
			}
		}
		// The stream gives up when it is refused; a netmaster that is being replaced may refuse for a moment.
		pause(ctx, pollEvery)
	}
	return nil
}

func (f *Feed) poll(ctx context.Context) error {
	seen, fresh := uint64(0), 0
	for ctx.Err() == nil {
		f.nodes(ctx)
		s := f.store.snapshot()
		if s.Revision != seen {
			seen, fresh = s.Revision, 0
		}
		most := 1 // of a cluster at rest: holds expire
		if fresh < len(s.Objects[model.KindNetwork().Name]) {
			most = poolsAtOne
		}
		f.pools(ctx, most)
		fresh += most
		pause(ctx, min(max(pollEvery, time.Duration(len(s.Nodes))*time.Second/nodesASecond), pollSlowest))
	}
	return nil
}

func (f *Feed) nodes(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var raw json.RawMessage
	err := f.client.Raw(ctx, "/api/v1/nodes", &raw)
	var nodes []model.Node
	if err == nil {
		nodes, err = f.list.decode(raw)
	}
	if err != nil {
		f.store.failed(err, false)
		return
	}
	f.store.nodes(nodes)
}

// pools asks for the addresses of the next few networks.
func (f *Feed) pools(ctx context.Context, most int) {
	networks := f.store.snapshot().Objects[model.KindNetwork().Name]
	for range min(most, len(networks)) {
		key := networks[f.turn%len(networks)].ObjectKey()
		f.turn++
		ask, cancel := context.WithTimeout(ctx, askLimit)
		n, err := f.client.Networks().Inspect(ask, key)
		cancel()
		if err != nil || n.Oper == nil { // it may just have been deleted; the nodes tell when netmaster is gone
			continue
		}
		f.store.pool(key, Pool{Count: n.Oper.AllocatedAddressesCount, Allocated: n.Oper.AllocatedIPAddresses, Available: n.Oper.AvailableIPAddresses,
			Held: n.Oper.HeldIPAddresses, Quarantined: n.Oper.QuarantinedIPAddresses, Pooled: n.Oper.PooledIPAddresses, At: f.store.now()})
	}
}

// Describe asks for an object with its operational state and returns it as YAML.
func (f *Feed) Describe(ctx context.Context, kind *model.Kind, key string) (string, error) {
	text, err := f.describe(ctx, kind, key)
	d := Description{Kind: kind.Name, Key: key, Text: text}
	if err != nil {
		d.Err = err.Error()
	}
	f.store.told(Input{Description: &d})
	return text, err
}

func (f *Feed) describe(ctx context.Context, kind *model.Kind, key string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var answer json.RawMessage
	if err := f.client.InspectRaw(ctx, kind, &answer, key); err != nil {
		return "", fmt.Errorf("inspect %s %s: %w", kind.Name, key, err)
	}
	text, err := yaml.JSONToYAML(answer)
	return string(text), err
}

// Put creates or changes an object. It blocks until netmaster has answered or ctx ends.
func (f *Feed) Put(ctx context.Context, o model.Object) error {
	_, err := f.client.Put(ctx, o)
	return err
}

// Delete deletes an object. It blocks until netmaster has answered or ctx ends.
func (f *Feed) Delete(ctx context.Context, kind *model.Kind, key string) error {
	_, err := f.client.Delete(ctx, kind, key)
	return err
}

// HandOver has the leader step down in favour of the master of an address. It blocks until that one accepts writes.
func (f *Feed) HandOver(ctx context.Context, to string) (model.Handover, error) {
	return f.client.HandOver(ctx, model.HandoverRequest{To: to})
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
