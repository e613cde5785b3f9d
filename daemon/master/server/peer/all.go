// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"errors"
	"net/url"
	"sync"
)

// asksAtOnce bounds how many agents are asked at a time.
const asksAtOnce = 32

// errNoAgent is the error of a host whose agent does not run.
var errNoAgent = errors.New("no agent runs there")

// Reply is the answer of the agent of a host, or why there is none.
type Reply[T any] struct {
	Host   string
	Answer T
	Err    error
}

// Silence is the line of a host that did not answer.
func (h *Reply[T]) Silence() string { return h.Host + " " + h.Err.Error() }

// All asks the agents of all hosts at a path about one thing, and blocks until each has answered or let Limit pass. The answers are in the order
// of hosts.
func All[T any](ctx context.Context, p *Peers, path, of string) []Reply[T] {
	var out []Reply[T]
	for _, host := range p.hosts() {
		out = append(out, Reply[T]{Host: host, Err: errNoAgent})
	}
	turn := make(chan struct{}, asksAtOnce)
	var wait sync.WaitGroup
	for i := range out {
		agent := p.Agent(out[i].Host)
		if agent == "" {
			continue
		}
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			out[i].Err = p.Ask(ctx, agent, path+"?of="+url.QueryEscape(of), &out[i].Answer)
		})
	}
	wait.Wait()
	return out
}
