package checkpoint

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/channel"
)

// markInterval is how often it is written down how far all is known while nothing changes.
const markInterval = 10 * time.Second

// Follower follows netmasters. It is *channel.Client.
type Follower interface {
	// Resume says what is known already.
	Resume(shards []channel.Shard, mark channel.Mark)
	// Follow yields what is not, then what changes, until ctx ends; an outage yields one error.
	Follow(ctx context.Context) iter.Seq2[channel.Batch, error]
}

// Source tells what concerns the host: what was told before, and what a Follower tells from there on, which it keeps.
type Source struct {
	Follower Follower
	File     *File         // nil: nothing is kept
	Saved    channel.Batch // what the file had
	Grace    time.Duration // for which what was told before waits for what has changed since, so that nothing old is carried out
	Log      *slog.Logger

	marked time.Time // when how far all is known was written
}

// errSilent is why no netmaster tells anything as long as none has failed.
var errSilent = errors.New("none has answered yet")

// received is what a Follower has yielded.
type received struct {
	batch channel.Batch
	err   error
}

// Follow yields all that is known, then what changes, until ctx ends; an outage yields one error. It is called once.
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
		silence := errSilent // why saved is all that there is
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
				s.Log.Warn("no netmaster is reached: this host goes on with what it was told before", "revision", saved.Revision)
				if !yield(saved, nil) || !yield(channel.Batch{}, silence) {
					return
				}
				saved = channel.Batch{}
			}
		}
	}
}

// pass hands on what the Follower yields.
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

// keep writes a batch down before it is carried out.
func (s *Source) keep(b *channel.Batch) {
	now := time.Now()
	if s.File == nil || len(b.Updates)+len(b.Left) == 0 && !b.Reset && now.Sub(s.marked) < markInterval {
		return // less is told again then
	}
	s.marked = now
	if err := s.File.Append(b); err != nil {
		s.Log.Warn("what netmasters tell is not kept: an agent that starts while none is reached knows nothing", "error", err)
	}
}

// joined is what was told before, with a batch that continues from there.
func joined(saved, next channel.Batch) channel.Batch {
	if next.Reset || len(saved.Updates) == 0 {
		return next
	}
	next.Updates = append(saved.Updates, next.Updates...)
	return next
}
