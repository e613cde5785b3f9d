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
	max, each  int
	refused    atomic.Uint64

	mu  sync.Mutex
	all int
	by  map[string]int
}

// NewGate bounds what, in the plural, to most at once, of which one client has a quarter at most. flag sets it.
func NewGate(what, flag string, most int) *Gate {
	return &Gate{what: what, flag: flag, max: most, each: max(1, (most+3)/4), by: map[string]int{}}
}

// Enter begins one for a client; the caller calls leave at its end. Refusals are *model.Error: of CodeBusy when the client has too
// many, of CodeUnavailable when all have.
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

// Refused counts those that were too many.
func (g *Gate) Refused() uint64 { return g.refused.Load() }

// Name is what the gate bounds.
func (g *Gate) Name() string { return g.what }

// retryAfter is for how many seconds a client that is refused is to wait.
const retryAfter = 5

// Refuse answers with an error whose status is true for every client: application/problem+json, or text to one that sends no Accept.
func Refuse(w http.ResponseWriter, q *http.Request, err error) {
	e := model.AsError(err)
	p := e.Problem()
	if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	writeProblem(w, q, e, p)
}
