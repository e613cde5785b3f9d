// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

// checkpointInterval is how far marks of a Player are apart at first, in the time of the recording. Going back starts at the mark before.
const checkpointInterval = 30 * time.Second

// maxCheckpoints bounds the marks: each may keep lists of its own. Of more, every other one is given up.
const maxCheckpoints = 64

// Player shows the output of a feed while inputs were recorded, at any moment of the recording. It sends no requests. Its methods may be
// called concurrently.
type Player struct {
	base   string
	inputs []Input

	mu          sync.Mutex
	applied     int // inputs that the store was given
	clock       time.Time
	store       *store
	shown       *Snapshot
	checkpoints []checkpoint  // by applied, ascending
	interval    time.Duration // how far marks are apart
}

// checkpoint is the state of a store after a number of inputs.
type checkpoint struct {
	applied int
	clock   time.Time
	store   *store
}

// NewPlayer returns a Player of a recording. base is the netmaster of the recording. An input with a time before that of its predecessor
// gets the latter's time. Without inputs there is nothing to play.
func NewPlayer(base string, inputs []Input) (*Player, error) {
	if len(inputs) == 0 {
		return nil, errors.New("the recording is empty")
	}
	for i := 1; i < len(inputs); i++ {
		if inputs[i].At.Before(inputs[i-1].At) {
			inputs[i].At = inputs[i-1].At
		}
	}
	p := &Player{base: base, inputs: inputs, interval: checkpointInterval}
	p.store = newStore(base, p.now)
	p.clock = inputs[0].At
	return p, nil
}

// now dates what the store is given. It is called under the lock.
func (p *Player) now() time.Time { return p.clock }

// Begin is the time of the first input.
func (p *Player) Begin() time.Time { return p.inputs[0].At }

// End is the time of the last input.
func (p *Player) End() time.Time { return p.inputs[len(p.inputs)-1].At }

// Seek returns what was shown at a moment. It computes as long as there is much between the last moment and this one:
// call it where nothing waits for it.
func (p *Player) Seek(at time.Time) *Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.applied > 0 && at.Before(p.inputs[p.applied-1].At) {
		p.rewind(at)
	}
	before := p.applied
	for p.applied < len(p.inputs) && !p.inputs[p.applied].At.After(at) {
		in := &p.inputs[p.applied]
		p.clock = in.At
		p.store.apply(in)
		p.applied++
		p.checkpoint()
	}
	if p.shown == nil || p.applied != before {
		p.shown = p.store.snapshot()
	}
	return p.shown
}

// checkpoint notes the state, if the last checkpoint is far enough.
func (p *Player) checkpoint() {
	if n := len(p.checkpoints); n > 0 && (p.checkpoints[n-1].applied >= p.applied || p.clock.Sub(p.checkpoints[n-1].clock) < p.interval) {
		return
	}
	if p.checkpoints = append(p.checkpoints, checkpoint{p.applied, p.clock, p.store.clone()}); len(p.checkpoints) > maxCheckpoints {
		kept := make([]checkpoint, 0, maxCheckpoints)
		for i := 0; i < len(p.checkpoints); i += 2 {
			kept = append(kept, p.checkpoints[i])
		}
		p.checkpoints, p.interval = kept, 2*p.interval
	}
}

// rewind returns to the last checkpoint that is not after a moment, or to the start. Inputs of the same time may follow it: they are
// applied again.
func (p *Player) rewind(at time.Time) {
	i := len(p.checkpoints) - 1
	for i >= 0 && p.checkpoints[i].clock.After(at) {
		i--
	}
	if i < 0 {
		p.applied, p.clock, p.store, p.shown = 0, p.inputs[0].At, newStore(p.base, p.now), nil
		return
	}
	m := p.checkpoints[i]
	p.applied, p.clock, p.store, p.shown = m.applied, m.clock, m.store.clone(), nil
}

// Ask does nothing: the answers are those that were recorded.
func (p *Player) Ask([]Question) {}

var errPlayed = errors.New("a recording cannot be changed")

// Put refuses.
func (p *Player) Put(context.Context, model.Object) error { return errPlayed }

// Delete refuses.
func (p *Player) Delete(context.Context, *model.Kind, string) error { return errPlayed }

// HandOver refuses.
func (p *Player) HandOver(context.Context, string) (model.Handover, error) {
	return model.Handover{}, errPlayed
}

// Capture refuses.
func (p *Player) Capture(context.Context, model.CaptureRequest) (*client.Capture, error) {
	return nil, errors.New("a recording has no packets")
}
