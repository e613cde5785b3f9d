// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"mime"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/model"
)

// maxEvent bounds an event of a stream, in bytes.
const maxEvent = 64 << 10

// Observe yields observed connections: earlier ones, and with Follow new ones, until ctx ends or the connection breaks, which is its last,
// an error.
func (c *Client) Observe(ctx context.Context, ask model.Observe) iter.Seq2[model.Observed, error] {
	return func(yield func(model.Observed, error) bool) {
		answer, err := c.observed(ctx, &ask)
		if err != nil {
			yield(model.Observed{}, err)
			return
		}
		defer func() { _ = answer.Body.Close() }()
		watchdog := time.AfterFunc(silence, func() { _ = answer.Body.Close() })
		defer watchdog.Stop()
		in := bufio.NewScanner(answer.Body)
		in.Buffer(nil, maxEvent)
		for in.Scan() {
			watchdog.Reset(silence)
			line := bytes.TrimSpace(in.Bytes())
			if len(line) == 0 {
				continue
			}
			var e model.Observed
			if err := json.Unmarshal(line, &e); err != nil {
				yield(e, fmt.Errorf("observe: decode an event: %w", err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		if err := in.Err(); err != nil && ctx.Err() == nil {
			yield(model.Observed{}, model.Errorf(model.CodeUnavailable, "", "observe: the connection ended: %v", err).Because(err).Try("try again: the events of the meantime are kept"))
		}
	}
}

// observed tries netmasters one after the other.
func (c *Client) observed(ctx context.Context, ask *model.Observe) (*http.Response, error) {
	err := error(model.Errorf(model.CodeUnavailable, "", "no netmaster is known"))
	for _, base := range c.bases(ctx) {
		var answer *http.Response
		if answer, err = c.send(ctx, base, http.MethodGet, "/api/v1/observe?"+ask.Query().Encode(), model.ObservedLines, nil); err != nil {
			continue
		}
		switch got, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); {
		case answer.StatusCode == http.StatusOK && got == model.ObservedLines:
			return answer, nil
		case answer.StatusCode == http.StatusOK:
			_ = answer.Body.Close()
			return nil, model.Errorf(model.CodeUnsupported, "", "the netmaster at %s does not observe connections", base).Try("it is of another version: netctl version")
		}
		err = Refusal(answer)
		drain(answer.Body)
		if !unavailable(err) {
			return nil, err
		}
	}
	return nil, err
}
