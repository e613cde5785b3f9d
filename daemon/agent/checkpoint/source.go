// SPDX-License-Identifier: Apache-2.0

package checkpoint

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/channel"
)

// markInterval is the time between two writes of the current mark while nothing changes.
const markInterval = 10 * time.Second

// Follower follows netmasters. It is *channel.Client.
type Follower interface {
	// Resume sets what is already known.
	Resume(shards []channel.Shard, mark channel.Mark)
	// Follow yields the rest, then changes, until ctx ends; an outage yields one error.
	Follow(ctx context.Context) iter.Seq2[channel.Batch, error]
}

// Source yields the records that concern the host: the saved ones, and those that a Follower yields from there on, which it saves.
type Source struct {
	Follower Follower
	File     *File         // nil: nothing is kept
	Saved    channel.Batch // contents of the file
	Grace    time.Duration // how long the saved records wait for newer changes, so that nothing outdated is applied
	Log      *slog.Logger

	marked time.Time // when the mark was last written
}

// errSilent is the reason for the silence while no netmaster has failed.
var errSilent = errors.New("none has answered yet")

// received is a result of the Follower.
type received struct {
	batch channel.Batch
	err   error
}

// Follow yields all records, then their changes, until ctx ends; an outage yields one error. It must be called once.
func (s *Source) Follow(ctx context.Context) iter.Seq2[channel.Batch, error] {
	return func(yield func(channel.Batch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		saved := s.Saved
		s.Saved = channel.Batch{}
		waits := time.NewTimer(s.Grace)
		defer waits.Stop()
		if len(saved.Updates) == 0 {
			waits.Stop()
		} else {
			shards := make([]channel.Shard, len(saved.Updates))
			for i := range saved.Updates {
				shards[i] = saved.Updates[i].Shard
			}
			s.Follower.Resume(shards, saved.Mark)
		}
		silence := errSilent // why there is only saved
		from := make(chan received)
		go s.pass(ctx, from)
		for {
			select {
			case t, more := <-from:
				switch {
				case !more:
					return
				case t.err != nil && len(saved.Updates) > 0:
					silence = t.err
					continue
				case t.err == nil:
					s.keep(&t.batch)
					t.batch = joined(saved, t.batch)
					saved = channel.Batch{}
					waits.Stop()
				}
				if !yield(t.batch, t.err) {
					return
				}
			case <-waits.C:
				s.Log.Warn("no netmaster reachable: this host continues with its saved records", "revision", saved.Revision)
				if !yield(saved, nil) || !yield(channel.Batch{}, silence) {
					return
				}
				saved = channel.Batch{}
			}
		}
	}
}

// pass passes on the results of the Follower.
func (s *Source) pass(ctx context.Context, to chan<- received) {
	defer close(to)
	for b, err := range s.Follower.Follow(ctx) {
		select {
		case to <- received{b, err}:
		case <-ctx.Done():
			return
		}
	}
}

// keep saves a batch before it is applied.
func (s *Source) keep(b *channel.Batch) {
	now := time.Now()
	if s.File == nil || len(b.Updates)+len(b.Left) == 0 && !b.Reset && now.Sub(s.marked) < markInterval {
		return // later, only the mark is missing
	}
	s.marked = now
	if err := s.File.Append(b); err != nil {
		s.Log.Warn("records not saved: an agent that starts while no netmaster is reachable has none", "error", err)
	}
}

// joined returns the saved records merged with a batch that continues from them.
func joined(saved, next channel.Batch) channel.Batch {
	if next.Reset || len(saved.Updates) == 0 {
		return next
	}
	next.Updates = append(saved.Updates, next.Updates...)
	return next
}
