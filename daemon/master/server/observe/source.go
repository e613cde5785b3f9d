// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/model"
)

const (
	// silence is how long an agent may send nothing before it counts as gone: it sends a line each second.
	silence = 3 * time.Second
	// redial is how long to wait before it is asked again.
	redial = 2 * time.Second
	// ahead is how many events of a host wait for others.
	ahead = 64
	// longest bounds an event, in bytes.
	longest = 64 << 10
)

// opener asks the agent of a host.
type opener func(ctx context.Context, host string, ask model.Observe) (*http.Response, error)

// arrival is an event, or when it is nil a sign of life, and when it came.
type arrival struct {
	event *model.Observed
	came  time.Time
}

// source reads the events from the agent of a host.
type source struct {
	host     string
	ask      model.Observe
	open     opener
	queue    chan arrival // closed when nothing follows
	wake     func()       // called after each change of the queue
	last     time.Time    // of the last event, by the clock of the host
	lastSeen time.Time    // when the last line of the host came
}

// put queues an arrival, as soon as there is room.
func (s *source) put(ctx context.Context, e *model.Observed) bool {
	select {
	case s.queue <- arrival{e, time.Now()}:
		s.wake()
		return true
	case <-ctx.Done():
		return false
	}
}

// report queues an event with verdict unknown, about the host.
func (s *source) report(ctx context.Context, format string, args ...any) {
	s.put(ctx, &model.Observed{Time: time.Now().UTC(), Host: s.host, Verdict: model.ObservedUnknown, Reason: fmt.Sprintf(format, args...)})
}

// run reads until ctx ends, or, without Follow, until all is read. It reports a failure once, and once more when it is over.
func (s *source) run(ctx context.Context) {
	defer s.wake()
	defer close(s.queue)
	silent := false
	for {
		err := s.read(ctx, func() {
			if silent {
				s.report(ctx, "host %s answers again", s.host)
			}
			silent = false
		})
		if ctx.Err() != nil || err == nil && !s.ask.Follow {
			return
		}
		if !silent {
			s.report(ctx, "host %s did not answer: unknown what passes there (%s)", s.host, reason(err))
		}
		if silent = true; !s.ask.Follow {
			return
		}
		timer := time.NewTimer(redial)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// reason is an error without its remedy.
func reason(err error) string {
	if err == nil {
		return "it ended the stream"
	}
	if e, ok := errors.AsType[*model.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// read reads one answer; begun is called when it has begun.
func (s *source) read(ctx context.Context, begun func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(silence, func() { cancel(errors.New("it said nothing for " + silence.String())) })
	defer watchdog.Stop()
	ask := s.ask
	if !s.lastSeen.IsZero() { // ask for the events since then
		ask.Since = time.Since(s.lastSeen) + time.Second
	}
	err := s.lines(ctx, ask, begun, func() { watchdog.Reset(silence) })
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func (s *source) lines(ctx context.Context, ask model.Observe, begun, alive func()) error {
	answer, err := s.open(ctx, s.host, ask)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	defer context.AfterFunc(ctx, func() { _ = answer.Body.Close() })()
	begun()
	in := bufio.NewScanner(answer.Body)
	in.Buffer(nil, longest)
	for in.Scan() {
		alive()
		s.lastSeen = time.Now()
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 {
			if !s.put(ctx, nil) {
				return nil
			}
			continue
		}
		var e model.Observed
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("it sent an invalid line: %w", err)
		}
		if e.Verdict != model.ObservedUnknown {
			if !e.Time.After(s.last) {
				continue // received before the connection broke
			}
			s.last = e.Time
		}
		e.Host = s.host // not the host that the event names
		if !s.put(ctx, &e) {
			return nil
		}
		alive()
	}
	if err := in.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return in.Err()
}
