// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/channel"
)

// Times of streams.
const (
	Heartbeat = 2 * time.Second  // maximum time between two messages
	linger    = 30 * time.Second // how long a shard is still sent to a host that no longer needs it
	catchUp   = 3 * time.Second  // how long an agent that knows more than this netmaster waits for it

	// staleAfter is how long a store may not answer before agents are sent to other netmasters.
	staleAfter = 10 * time.Second
)

// Stream serves one agent. All methods but Report must be called by one goroutine.
type Stream struct {
	relay *Relay
	hello channel.Hello
	wake  chan struct{}
	sent  map[channel.Shard]uint64    // steps
	leave map[channel.Shard]time.Time // when a shard became unnecessary
	reset bool                        // the agent's state may be of another store
	begun bool

	session channel.Session // the relay's lock guards it and the following fields
	holding holding
}

// Open starts a stream to an agent, from the agent's position if that is known here. It blocks until the netmaster knows what the agent
// knows, at most catchUp; a netmaster that is behind refuses.
func (r *Relay) Open(ctx context.Context, hello channel.Hello) (*Stream, error) {
	select {
	case <-r.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := r.stale(time.Now()); err != nil {
		return nil, err
	}
	if err := r.current(ctx, &hello); err != nil {
		return nil, err
	}
	same, reset := r.same(&hello.Mark), r.elsewhere(&hello.Mark)
	s := &Stream{relay: r, hello: hello, wake: make(chan struct{}, 1), sent: map[channel.Shard]uint64{}, leave: map[channel.Shard]time.Time{}, holding: newHolding(),
		session: channel.Session{Host: hello.Host, Instance: hello.Instance, Since: time.Now(), Received: time.Now()}}
	r.mu.Lock()
	defer r.mu.Unlock()
	if same {
		want := r.scope(hello.Host, hello.Directory)
		for _, name := range hello.Shards {
			if _, needed := want[name]; needed || r.shards[name] != nil {
				s.resume(r.shard(name))
			}
		}
	}
	s.reset = reset
	r.streams[s] = struct{}{}
	return s, nil
}

// ErrOffer reports that an agent must offer what its host carries before it receives a store that may not know it.
var ErrOffer = errors.New("the store may not know what this host carries: the agent offers that first")

// current refuses an agent that would receive a store behind its own state: an agent that knows more of the same history, and, if it offers
// what its host carries, an agent whose host has not offered that to a new store, or while offers of others are pending.
func (r *Relay) current(ctx context.Context, hello *channel.Hello) error {
	if m := &hello.Mark; m.Incarnation == "" || m.Incarnation == r.incarnation {
		if err := r.reach(ctx, m.Revision); err != nil && r.same(m) {
			return err
		}
	}
	if !hello.Offers {
		return nil
	}
	why := r.awaited()
	unknown := r.elsewhere(&hello.Mark)
	if hello.Offered != r.incarnation && (why != "" || unknown) {
		return ErrOffer
	}
	if why != "" {
		return errors.New(why)
	}
	return nil
}

// same reports whether an agent's state is of this store's history: it has the same incarnation, if the agent knows one, and a landmark of
// this store. A snapshot restored by other means than ours has the incarnation, but not always the landmark.
func (r *Relay) same(m *channel.Mark) bool {
	if m.Incarnation != "" && m.Incarnation != r.incarnation {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, known := range r.landmarks {
		if known == m.Landmark {
			return true
		}
	}
	return false
}

// elsewhere reports whether an agent was part of another history than this store's: it knows records of one, or, without any, the
// incarnation.
func (r *Relay) elsewhere(m *channel.Mark) bool {
	return m.Revision > 0 && !r.same(m) || m.Incarnation != "" && m.Incarnation != r.incarnation
}

// reach blocks until a revision is applied.
func (r *Relay) reach(ctx context.Context, revision uint64) error {
	limit := time.NewTimer(catchUp)
	defer limit.Stop()
	tick := time.NewTicker(Window)
	defer tick.Stop()
	for {
		r.mu.Lock()
		at := r.mark.Revision
		r.mu.Unlock()
		if at >= revision {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit.C:
			return fmt.Errorf("this netmaster knows revision %d, and the agent %d: it lags behind", at, revision)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// resume continues with a shard where another stream has ended, if its log reaches back to that point and the state was complete there:
// changes undone within one update of the watch may not be in the log.
func (s *Stream) resume(sh *shard) {
	if _, whole := s.relay.passed[s.hello.Mark.Complete]; !whole || s.hello.Mark.Complete < sh.after {
		return
	}
	at := max(sh.from, sh.seq)
	for i := len(sh.log) - 1; i >= 0 && sh.log[i].revision > s.hello.Mark.Complete; i-- {
		at = sh.log[i].seq - 1
	}
	s.sent[sh.name] = at
	sh.streams[s] = struct{}{}
}

// Close ends the stream.
func (s *Stream) Close() {
	r := s.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.streams, s)
	for name := range s.sent {
		delete(r.shards[name].streams, s)
	}
}

// notify makes Next check for messages. It does not block.
func (s *Stream) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Next returns the messages of the next batch, to be sent in order and unchanged. It blocks until there are messages, at most Heartbeat. It
// returns nil if ctx has ended, the agent has stopped reporting, or the store was recreated or has not answered for a while.
func (s *Stream) Next(ctx context.Context) [][]byte {
	beat := time.NewTimer(Heartbeat)
	defer beat.Stop()
	for late := !s.begun; ; {
		if now := time.Now(); s.relay.stale(now) != nil || s.silent(now) {
			return nil
		}
		if out, some := s.collect(time.Now(), late); some {
			s.begun = true
			return out
		}
		select {
		case <-s.wake:
		case <-beat.C:
			late = true
		case <-s.relay.catalog.Reset():
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// collect returns the pending messages; with late set, also an empty batch.
func (s *Stream) collect(now time.Time, late bool) (out [][]byte, some bool) {
	messages, mark, left := s.gather(now)
	if len(messages) == 0 && len(left) == 0 && !late {
		return nil, false
	}
	for _, m := range messages {
		out = append(out, m.bytes())
	}
	return append(out, channel.EncodeMark(mark, left)), true
}

// gather returns the pending updates at one moment.
func (s *Stream) gather(now time.Time) (out []*message, mark channel.Mark, left []channel.Shard) {
	r := s.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	left = s.resend()
	want := r.scope(s.hello.Host, s.hello.Directory)
	for name := range want {
		delete(s.leave, name)
		out = append(out, s.pending(r.shard(name))...)
	}
	for name := range s.sent {
		if _, needed := want[name]; needed {
			continue
		}
		if since, noted := s.leave[name]; !noted {
			s.leave[name] = now
		} else if now.Sub(since) >= linger {
			left = append(left, name)
			delete(s.sent, name)
			delete(s.leave, name)
			delete(r.shards[name].streams, s)
			continue
		}
		out = append(out, s.pending(r.shards[name])...)
	}
	for _, name := range s.hello.Shards { // shards that the agent has, and must leave
		if _, told := s.sent[name]; !told && !s.begun {
			left = append(left, name)
		}
	}
	if len(left) > 0 { // a step of its own: the agent's report of the previous step does not answer this one
		r.seq++
		s.holding.left = r.seq
	}
	mark = r.mark
	mark.Step = r.seq
	mark.Complete = uint64(r.known.Complete)
	mark.Reset, s.reset = s.reset, false
	return out, mark, left
}

// pending returns the new updates of a shard.
func (s *Stream) pending(sh *shard) (out []*message) {
	at, known := s.sent[sh.name]
	if !known || at < sh.from && at < sh.seq {
		whole := sh.snapshot()
		at = whole.seq
		out = append(out, whole.message)
		sh.streams[s] = struct{}{}
		s.relay.seq++ // as for shards that are left
		s.holding.since[sh.name] = s.relay.seq
	}
	for _, e := range sh.since(at) {
		out = append(out, e.message)
	}
	s.sent[sh.name] = s.relay.seq
	return out
}
