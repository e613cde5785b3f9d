// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
)

// silence is the maximum silence of the watch stream before it counts as broken.
const silence = 20 * time.Second

// portion is the maximum number of objects in an event.
const portion = 1000

// Watch yields all objects of the kinds (all kinds if there are none) that the options select, and then each change. After a broken
// connection it yields one error, reconnects, and yields everything again, beginning with an event of type EventFull for each kind, and of
// type EventMore if there are many; a receiver therefore replaces its state of a kind whenever it sees EventFull. An object that is no
// longer selected is reported as deleted. It ends with ctx or the loop.
func (c *Client) Watch(ctx context.Context, kinds []*model.Kind, options ...Option) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		q := asked(append([]Option{Limit(portion)}, options...))
		var names []string
		for _, k := range kinds {
			names = append(names, k.Name)
		}
		parameter("kinds", strings.Join(names, ","))(q)
		path := "/api/v1/watch?" + q.Encode()
		pause := 50 * time.Millisecond
		for old := false; ; {
			err := error(model.Errorf(model.CodeUnavailable, "", "no netmaster is known"))
			bases, asked := c.bases(ctx), ctx
			if len(bases) > 1 && !old { // otherwise a stale stream is better than none
				asked = context.WithValue(ctx, currentKey{}, true)
			}
			old = false
			for _, base := range bases {
				var more bool
				got := false
				more, err = c.stream(asked, base, path, func(e model.Event) bool { got = true; return yield(e, nil) })
				if !more {
					return
				}
				if _, stale := errors.AsType[*staleError](err); stale {
					old = true
				}
				if got {
					pause = 50 * time.Millisecond
				}
			}
			if ctx.Err() != nil || !yield(model.Event{}, err) {
				return
			}
			if !unavailable(err) {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, 2*time.Second)
		}
	}
}

// stream reads one connection; more is false if the receiver has stopped.
func (c *Client) stream(ctx context.Context, base, path string, yield func(model.Event) bool) (more bool, err error) {
	answer, err := c.send(ctx, base, http.MethodGet, path, "text/event-stream", nil)
	if err != nil {
		return true, err
	}
	defer func() { _ = answer.Body.Close() }()
	if err := c.accepted(base, answer); err != nil {
		return true, err
	}
	// netmaster sends something every few seconds; a connection that is silent for long is dead.
	watchdog := time.AfterFunc(silence, func() { _ = answer.Body.Close() })
	defer watchdog.Stop()
	lines := bufio.NewReaderSize(answer.Body, 64<<10)
	var data strings.Builder
	for {
		line, err := lines.ReadString('\n')
		watchdog.Reset(silence)
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return true, model.Errorf(model.CodeUnavailable, "", "watch %s: the connection ended: %v", base, err).Because(err)
		}
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "data:"):
			if data.Len()+len(line) > maxAnswer {
				return true, fmt.Errorf("watch %s: an event is larger than %d bytes", base, maxAnswer)
			}
			data.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "data:"), " "))
		case line == "" && data.Len() > 0:
			var event model.Event
			if err := json.Unmarshal([]byte(data.String()), &event); err != nil {
				return true, fmt.Errorf("watch %s: decode an event: %w", base, err)
			}
			data.Reset()
			if !yield(event) {
				return false, nil
			}
		}
	}
}
