// SPDX-License-Identifier: Apache-2.0

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
	Host     string    `json:"host"`           // label
	Instance string    `json:"seat,omitempty"` // as in record.Host
	Since    time.Time `json:"since"`          // when the stream started
	Received time.Time `json:"heard"`          // time of the agent's last message; an agent sends one at least every ReportInterval
	// Changed is the number of the status. A netmaster numbers all that it receives, from its start time in nanoseconds. 0: an earlier build does
	// not number.
	Changed  uint64       `json:"changed,omitempty"`
	Differed []Difference `json:"differed,omitempty"` // shards of which the agent recently held something else, ordered by name
	Report
}

// Difference means that an agent held something else of a shard than the netmaster, which sent the whole shard again.
type Difference struct {
	Shard Shard     `json:"shard"`
	Times int       `json:"times"`           // number of times that it was sent again
	Last  time.Time `json:"last"`            // when the agent reported it last
	Still bool      `json:"still,omitempty"` // it has not reported equal content since
}

// Report is an agent's report on its stream.
type Report struct {
	Revision uint64          `json:"revision"`         // everything up to it is past the switch's barrier
	Status   json.RawMessage `json:"status,omitempty"` // of model.AgentStatus; absent if unchanged

	// Step is that of the mark up to which the agent holds what it received on this stream; 0: unknown. Digests describe the content of
	// each shard at that step; absent if unchanged.
	Step    uint64           `json:"step,omitempty"`
	Digests map[Shard]Digest `json:"digests,omitempty"`
}

// Served lists the agents whose streams a netmaster serves, or the error of the query.
type Served struct {
	Master   string // "host:port"
	Sessions []Session
	Err      error
}

// Reporter provides the state of a host.
type Reporter interface {
	// Revision returns the revision up to which everything is past the switch's barrier.
	Revision() uint64
	// Wait blocks until Revision is at least rev, or ctx ends.
	Wait(ctx context.Context, rev uint64) error
	// Status returns the JSON of a model.AgentStatus.
	Status() ([]byte, error)
	// Held returns the mark up to which everything has been applied, and the digest of each shard then.
	Held() (Mark, map[Shard]Digest)
}

// Times of reports.
const (
	statusSoon     = 100 * time.Millisecond // within which a status follows a revision
	ReportInterval = time.Second            // maximum time between two reports, and the interval of status checks
	MaxSilence     = 4 * time.Second        // an agent without a report for this long counts as gone
	startsFor      = 3 * time.Second        // time after the start in which the status is checked continuously: an agent becomes ready in several steps
)

// report writes reports until ctx ends or out fails: a revision as soon as it has passed, the status if it has changed, and a report at
// least every ReportInterval.
func (c *Client) report(ctx context.Context, out io.Writer, stream uint64) error {
	enc := json.NewEncoder(out)
	var last Report
	began := time.Now()
	for due := began; ctx.Err() == nil; {
		seen, moved := c.received()
		now := Report{Revision: c.Hooks.Reporter.Revision()}
		changed := now.Revision != last.Revision
		last.Revision = now.Revision
		switch at := time.Now(); {
		case !at.Before(due):
			status, err := c.Hooks.Reporter.Status()
			if err != nil {
				return err
			}
			if !bytes.Equal(status, last.Status) {
				now.Status, last.Status = status, status
			}
			c.hold(&now, &last, stream)
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
		c.pause(ctx, due, seen, moved)
	}
	return ctx.Err()
}

// hold adds to a report what the agent holds, if that is what it received on this stream, of a moment at which the netmaster knew all:
// what it did not know yet may be held by the agent, from another netmaster.
func (c *Client) hold(now, last *Report, stream uint64) {
	mark, digests := c.Hooks.Reporter.Held()
	if mark.stream != stream || mark.Step == 0 || mark.Complete != mark.Revision {
		return
	}
	now.Step = mark.Step
	if last.Digests == nil || !maps.Equal(digests, last.Digests) {
		now.Digests, last.Digests = digests, digests
	}
}

// pause blocks until the switch has applied the received revision, or, if it has, until more is received; at most until due.
func (c *Client) pause(ctx context.Context, due time.Time, seen uint64, moved <-chan struct{}) {
	ctx, cancel := context.WithDeadline(ctx, due)
	defer cancel()
	if c.Hooks.Reporter.Revision() < seen {
		_ = c.Hooks.Reporter.Wait(ctx, seen)
		return
	}
	select {
	case <-moved:
	case <-ctx.Done():
	}
}

// received returns the revision up to which everything has been received, and a channel that is closed at the next message.
func (c *Client) received() (uint64, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mark.Revision, c.moved
}

// Silent reports whether the agent is gone although its stream has not ended. Agents of earlier builds never send reports.
func (s *Session) Silent(now time.Time) bool {
	return s.Instance != "" && now.Sub(s.Received) > MaxSilence
}

// Of reports whether the session is that of a host's agent, by its registered instance. An agent of an earlier build has none.
func (s *Session) Of(host, seat string) bool {
	return s.Host == host && (s.Instance == seat || s.Instance == "")
}
