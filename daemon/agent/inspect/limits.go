// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/httpserver"
)

// Limits bound the concurrent requests. One client has at most a quarter of the captures and traces: a netmaster, which asks for all users,
// is one client. 0 is the default.
type Limits struct {
	Connections, PerClient int
	Captures               int
	Traces                 int      // and other queries to the switch
	Hosts                  []string // names of the agent in addition to its host's own
}

// Defaults of Limits.
const (
	DefaultConnections = 1024
	DefaultPerClient   = 256
	DefaultCaptures    = 64
	DefaultTraces      = 128
)

// Register adds the flags.
func (l *Limits) Register(f *flags.Set) {
	f.List(&l.Hosts, httpserver.AllowedHosts, "ALLOWED_HOSTS", "host names that the inspection API accepts, in addition to addresses, names without a dot and the host's own")
	f.Int(&l.Connections, httpserver.MaxConnections, "MAX_CONNECTIONS", DefaultConnections, "maximum number of concurrent connections to the inspection API")
	f.Int(&l.PerClient, httpserver.MaxConnectionsPerClient, "MAX_CONNECTIONS_PER_CLIENT", DefaultPerClient, "maximum number of concurrent connections per client")
	f.Int(&l.Captures, "max-captures", "MAX_CAPTURES", DefaultCaptures, "maximum number of concurrent captures, of which one client may use a quarter")
	f.Int(&l.Traces, "max-traces", "MAX_TRACES", DefaultTraces, "maximum number of concurrent traces and switch queries, of which one client may use a quarter")
}

// Check returns an error for invalid limits.
func (l *Limits) Check() error {
	for _, limit := range []struct {
		flag  string
		value int
	}{{httpserver.MaxConnections, l.Connections}, {httpserver.MaxConnectionsPerClient, l.PerClient}, {"max-captures", l.Captures}, {"max-traces", l.Traces}} {
		if limit.value < 1 || limit.value > httpserver.MaxRequest {
			return fmt.Errorf("--%s %d: it is a number from 1 to %d", limit.flag, limit.value, httpserver.MaxRequest)
		}
	}
	return nil
}

// asked are the paths that query the switch, which costs it time.
var asked = []string{"/inspect/flows", "/inspect/trace", "/inspect/drift", "/inspect/rules", "/inspect/services", "/inspect/traffic", "/inspect/counters", "/inspect/reach", "/inspect/findings"}

// Streams have no end, or a late one.
const (
	capturePath  = "/inspect/capture"
	observedPath = "/inspect/observed"
)

// guarded adds time limits and bounds to requests, and refuses requests to other names than the agent's.
func guarded(b *Bounds, log *slog.Logger, panics *atomic.Uint64, next http.Handler) http.Handler {
	limited := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		out := httpserver.Whole(w)
		var gate *httpserver.Gate
		switch {
		case q.URL.Path == capturePath:
			gate, out = b.captures, httpserver.Stream(w)
		case q.URL.Path == observedPath:
			gate, out = b.watches, httpserver.Stream(w)
		case slices.Contains(asked, q.URL.Path):
			gate = b.traces
		}
		if gate != nil {
			leave, err := gate.Enter(httpserver.Client(q.RemoteAddr))
			if err != nil {
				httpserver.Refuse(w, q, err)
				return
			}
			defer leave()
		}
		next.ServeHTTP(out, q)
	})
	visitors := httpserver.Visitors(b.names, []string{"/healthz", "/readyz"}, limited)
	return httpserver.Recovered(log, func() { panics.Add(1) }, visitors)
}
