package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"
)

// Session is an agent whose stream a netmaster serves.
type Session struct {
	Host  string    `json:"host"`           // label
	Seat  string    `json:"seat,omitempty"` // as in record.Host
	Since time.Time `json:"since"`          // when the stream began
	Heard time.Time `json:"heard"`          // when the agent said something last, as all that says its seat does at least every ReportEvery
	Report
}

// Report is what an agent says of itself on its stream.
type Report struct {
	Revision uint64          `json:"revision"`         // all up to there is past the switch's barrier
	Status   json.RawMessage `json:"status,omitempty"` // of model.AgentStatus; absent where it is as it was
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
}

// Times of reports.
const (
	statusSoon  = 100 * time.Millisecond // within which a status follows a revision
	ReportEvery = time.Second            // something is reported at least as often, and the status looked for
	SilenceMost = 4 * time.Second        // an agent that has not reported for as long is not taken to be there
	startsFor   = 3 * time.Second        // for as long the status is looked for all the time: what an agent waits for comes one after the other
)

// report writes reports until ctx ends or out fails: a revision as soon as it has passed, the status when it has changed, and at least every ReportEvery that
// the agent is there.
func (c *Client) report(ctx context.Context, out io.Writer) error {
	enc := json.NewEncoder(out)
	var said Report
	began := time.Now()
	for due := began; ctx.Err() == nil; {
		told, moved := c.told()
		now := Report{Revision: c.Reporter.Revision()}
		changed := now.Revision != said.Revision
		said.Revision = now.Revision
		switch at := time.Now(); {
		case !at.Before(due):
			status, err := c.Reporter.Status()
			if err != nil {
				return err
			}
			if !bytes.Equal(status, said.Status) {
				now.Status, said.Status = status, status
			}
			due, changed = at.Add(ReportEvery), true
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

// pause blocks until the switch has passed what was told, if it has not; otherwise until more is told; until due in any case.
func (c *Client) pause(ctx context.Context, due time.Time, told uint64, moved <-chan struct{}) {
	ctx, cancel := context.WithDeadline(ctx, due)
	defer cancel()
	if c.Reporter.Revision() < told {
		_ = c.Reporter.Wait(ctx, told)
		return
	}
	select {
	case <-moved:
	case <-ctx.Done():
	}
}

// told is the revision up to which all has been told, and a channel that is closed when more is.
func (c *Client) told() (uint64, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mark.Revision, c.moved
}

// Silent tells whether the agent is not there any more, though its stream has not ended. Agents of earlier builds never say anything.
func (s *Session) Silent(now time.Time) bool { return s.Seat != "" && now.Sub(s.Heard) > SilenceMost }

// Of tells whether the session is of a host's agent, by the seat with which that is registered. An agent of an earlier build names none.
func (s *Session) Of(host, seat string) bool {
	return s.Host == host && (s.Seat == seat || s.Seat == "")
}
