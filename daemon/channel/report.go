package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"time"
)

// Session is an agent whose stream a netmaster serves.
type Session struct {
	Host     string       `json:"host"`               // label
	Instance string       `json:"seat,omitempty"`     // as in record.Host
	Since    time.Time    `json:"since"`              // when the stream began
	Received time.Time    `json:"heard"`              // when the agent said something last, as all that says its seat does at least every ReportInterval
	Differed []Difference `json:"differed,omitempty"` // shards of which the agent held something else lately, ordered by name
	Report
}

// Difference says that an agent held something else of a shard than the netmaster, which sent it again as a whole.
type Difference struct {
	Shard Shard     `json:"shard"`
	Times int       `json:"times"`           // that it was sent again
	Last  time.Time `json:"last"`            // when the agent reported it last
	Still bool      `json:"still,omitempty"` // it has not reported since that it holds the same
}

// Report is what an agent says of itself on its stream.
type Report struct {
	Revision uint64          `json:"revision"`         // all up to there is past the switch's barrier
	Status   json.RawMessage `json:"status,omitempty"` // of model.AgentStatus; absent where it is as it was

	// Step is that of the mark up to which the agent holds what it received on this stream; 0: it does not say. Digests are what it holds then of each shard; absent
	// where they are as they were.
	Step    uint64           `json:"step,omitempty"`
	Digests map[Shard]Digest `json:"digests,omitempty"`
}

// Served is which agents a netmaster tells what concerns their hosts, or why it did not say.
type Served struct {
	Master   string // "host:port"
	Sessions []Session
	Err      error
}

// Reporter says how a host is.
type Reporter interface {
	// Revision is that up to which all is past the switch's barrier.
	Revision() uint64
	// Wait blocks until Revision is rev at least, or ctx ends.
	Wait(ctx context.Context, rev uint64) error
	// Status is the JSON of a model.AgentStatus.
	Status() ([]byte, error)
	// Held is up to where all has been taken in, and what is held of each shard then.
	Held() (Mark, map[Shard]Digest)
}

// Times of reports.
const (
	statusSoon     = 100 * time.Millisecond // within which a status follows a revision
	ReportInterval = time.Second            // something is reported at least as often, and the status looked for
	MaxSilence     = 4 * time.Second        // an agent that has not reported for as long is not taken to be there
	startsFor      = 3 * time.Second        // for as long the status is looked for all the time: what an agent waits for comes one after the other
)

// report writes reports until ctx ends or out fails: a revision as soon as it has passed, the status when it has changed, and at least every ReportInterval that
// the agent is there.
func (c *Client) report(ctx context.Context, out io.Writer, stream uint64) error {
	enc := json.NewEncoder(out)
	var said Report
	began := time.Now()
	for due := began; ctx.Err() == nil; {
		told, moved := c.received()
		now := Report{Revision: c.Hooks.Reporter.Revision()}
		changed := now.Revision != said.Revision
		said.Revision = now.Revision
		switch at := time.Now(); {
		case !at.Before(due):
			status, err := c.Hooks.Reporter.Status()
			if err != nil {
				return err
			}
			if !bytes.Equal(status, said.Status) {
				now.Status, said.Status = status, status
			}
			c.hold(&now, &said, stream)
			due, changed = at.Add(ReportInterval), true
			if at.Sub(began) < startsFor {
				due = at.Add(statusSoon)
			}
		case changed && due.Sub(at) > statusSoon:
			due = at.Add(statusSoon)
		}
		if changed {
			if err := enc.Encode(&now); err != nil {
				return err
			}
		}
		c.pause(ctx, due, told, moved)
	}
	return ctx.Err()
}

// hold adds to a report what the agent holds, if that is what it received on this stream, of a moment at which the netmaster knew all: what it did not know yet may be
// held by the agent, from another netmaster.
func (c *Client) hold(now, said *Report, stream uint64) {
	mark, digests := c.Hooks.Reporter.Held()
	if mark.stream != stream || mark.Step == 0 || mark.Complete != mark.Revision {
		return
	}
	now.Step = mark.Step
	if said.Digests == nil || !maps.Equal(digests, said.Digests) {
		now.Digests, said.Digests = digests, digests
	}
}

// pause blocks until the switch has passed what was told, if it has not; otherwise until more is told; until due in any case.
func (c *Client) pause(ctx context.Context, due time.Time, told uint64, moved <-chan struct{}) {
	ctx, cancel := context.WithDeadline(ctx, due)
	defer cancel()
	if c.Hooks.Reporter.Revision() < told {
		_ = c.Hooks.Reporter.Wait(ctx, told)
		return
	}
	select {
	case <-moved:
	case <-ctx.Done():
	}
}

// received is the revision up to which all has been told, and a channel that is closed when more is.
func (c *Client) received() (uint64, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mark.Revision, c.moved
}

// Silent reports whether the agent is not there any more, though its stream has not ended. Agents of earlier builds never say anything.
func (s *Session) Silent(now time.Time) bool {
	return s.Instance != "" && now.Sub(s.Received) > MaxSilence
}

// Of reports whether the session is of a host's agent, by the seat with which that is registered. An agent of an earlier build names none.
func (s *Session) Of(host, seat string) bool {
	return s.Host == host && (s.Instance == seat || s.Instance == "")
}
