// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/contiv/contiv/api/model"
)

// Gate limits the concurrent operations of one kind, in total and per client. Its methods are safe for concurrent use.
type Gate struct {
	what, flag string
	refused    atomic.Uint64

	mu        sync.Mutex
	max, each int
	all       int
	by        map[string]int
}

// NewGate returns a Gate for the operations what, in the plural, with a maximum in total and a quarter of it per client. The flag
// sets the maximum.
func NewGate(what, flag string, most int) *Gate {
	return &Gate{what: what, flag: flag, max: most, each: max(1, (most+3)/4), by: map[string]int{}}
}

// SetMax changes the maximum. Operations in progress above it continue.
func (g *Gate) SetMax(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.max, g.each = n, max(1, (n+3)/4)
}

// Max returns the maximum.
func (g *Gate) Max() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.max
}

// Enter starts an operation for a client; the caller must call leave at its end. Refusals are *model.Error: with CodeBusy if the
// client has too many operations, with CodeUnavailable if all clients together have.
func (g *Gate) Enter(client string) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.all >= g.max:
		g.refused.Add(1)
		return nil, model.Errorf(model.CodeUnavailable, "", "%d %s are in progress, the maximum of --%s", g.all, g.what, g.flag).
			Try("repeat the request later, or at another host, or raise --%s", g.flag)
	case g.by[client] >= g.each:
		g.refused.Add(1)
		return nil, model.Errorf(model.CodeBusy, "", "%d %s of %s are in progress, a client's share of --%s (%d)", g.by[client], g.what, client, g.flag, g.max).
			Try("end one of them, or raise --%s", g.flag)
	}
	g.all++
	g.by[client]++
	return sync.OnceFunc(func() { g.leave(client) }), nil
}

func (g *Gate) leave(client string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all--
	if g.by[client]--; g.by[client] == 0 {
		delete(g.by, client)
	}
}

// Open returns the number of operations in progress.
func (g *Gate) Open() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all
}

// Refused returns the number of refused operations.
func (g *Gate) Refused() uint64 { return g.refused.Load() }

// Name returns what the gate limits.
func (g *Gate) Name() string { return g.what }

// retryAfter is the number of seconds after which a refused client may retry.
const retryAfter = 5

// Refuse answers with an error and its true status: application/problem+json, or text for a request without an Accept header.
func Refuse(w http.ResponseWriter, q *http.Request, err error) {
	e := model.AsError(err)
	p := e.Problem()
	if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	writeProblem(w, q, e, p)
}
