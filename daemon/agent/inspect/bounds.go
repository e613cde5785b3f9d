// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"cmp"
	"sync"

	"github.com/contiv/contiv/daemon/httpserver"
)

// Bounds enforce Limits that can change.
type Bounds struct {
	names                     *httpserver.Names
	captures, watches, traces *httpserver.Gate

	mu          sync.Mutex
	limits      Limits                    // guarded by mu
	connections []*httpserver.Connections // of each server, guarded by mu
}

// NewBounds returns the bounds of limits.
func NewBounds(l Limits) *Bounds {
	l = l.orDefaults()
	return &Bounds{
		limits:   l,
		names:    httpserver.NewNames(l.Hosts...),
		captures: httpserver.NewGate("captures", "max-captures", l.Captures),
		watches:  httpserver.NewGate("looks at connections", "max-captures", l.Captures),
		traces:   httpserver.NewGate("traces and looks at the switch", "max-traces", l.Traces),
	}
}

// server returns the bound of the connections of one more server.
func (b *Bounds) server() *httpserver.Connections {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := httpserver.NewConnections(b.limits.Connections, b.limits.PerClient)
	b.connections = append(b.connections, c)
	return c
}

// Apply changes the limits. Connections and requests above them continue.
func (b *Bounds) Apply(l Limits) {
	l = l.orDefaults()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limits = l
	for _, c := range b.connections {
		c.SetMax(l.Connections, l.PerClient)
	}
	b.names.Set(l.Hosts...)
	b.captures.SetMax(l.Captures)
	b.watches.SetMax(l.Captures)
	b.traces.SetMax(l.Traces)
}

// orDefaults returns the limits with the defaults of those that are 0.
func (l Limits) orDefaults() Limits {
	l.Connections, l.PerClient = cmp.Or(l.Connections, DefaultConnections), cmp.Or(l.PerClient, DefaultPerClient)
	l.Captures, l.Traces = cmp.Or(l.Captures, DefaultCaptures), cmp.Or(l.Traces, DefaultTraces)
	return l
}

// LimitFlags are the flags of Limits, which can change at run time.
func LimitFlags() []string {
	return []string{httpserver.AllowedHosts, httpserver.MaxConnections, httpserver.MaxConnectionsPerClient, "max-captures", "max-traces"}
}
