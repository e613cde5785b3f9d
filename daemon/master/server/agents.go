package server

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// asksAtOnce bounds how many agents are asked at a time.
const asksAtOnce = 32

// said is what the agent of a host says of something, or why it does not.
type said[T any] struct {
	host string
	list []T
	err  error
}

// silence is the line of a host that did not answer.
func (h *said[T]) silence() string { return h.host + " " + h.err.Error() }

// askAll asks all agents at a path about one thing. Each has askLimit to answer. The answers are in the order of hosts.
func askAll[T any](ctx context.Context, b *backend, path, of string) []said[T] {
	var agents []record.Service
	b.catalog.View(func(v *catalog.View) { agents = v.Services(record.ServiceAgent) })
	out := make([]said[T], len(agents))
	turn := make(chan struct{}, asksAtOnce)
	var wait sync.WaitGroup
	for i, a := range agents {
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			out[i].host = a.Hostname
			out[i].err = b.ask(ctx, "http://"+address(a)+path+"?of="+url.QueryEscape(of), &out[i].list)
		})
	}
	wait.Wait()
	slices.SortFunc(out, func(a, b said[T]) int { return strings.Compare(a.host, b.host) })
	return out
}
