package peer

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// asksAtOnce bounds how many agents are asked at a time.
const asksAtOnce = 32

// Said is what the agent of a host says of something, or why it does not.
type Said[T any] struct {
	Host string
	List []T
	Err  error
}

// Silence is the line of a host that did not answer.
func (h *Said[T]) Silence() string { return h.Host + " " + h.Err.Error() }

// All asks all agents at a path about one thing, and blocks until each has answered or let Limit pass. The answers are in the order
// of hosts.
func All[T any](ctx context.Context, p *Peers, path, of string) []Said[T] {
	agents := p.agents()
	out := make([]Said[T], len(agents))
	turn := make(chan struct{}, asksAtOnce)
	var wait sync.WaitGroup
	for i, a := range agents {
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			out[i].Host = a.Label
			out[i].Err = p.Ask(ctx, a.Control.String(), path+"?of="+url.QueryEscape(of), &out[i].List)
		})
	}
	wait.Wait()
	slices.SortFunc(out, func(a, b Said[T]) int { return strings.Compare(a.Host, b.Host) })
	return out
}
