// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
)

// ends records which peers have sent End-of-RIB (RFC 4724, section 2), for which address families. The library's own state is not reliable:
// if a peer restarts at the same time as this speaker, routes are sent without waiting for that peer's, and the library then counts its end
// as received. A peer may call itself restarting long after it was; FRR does so for as long as its restart time.
type ends struct {
	mu       sync.Mutex
	received map[netip.Addr][]bgp.Family // in their current session
}

// add records an end.
func (e *ends) add(peer netip.Addr, f bgp.Family) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.received[peer], f) {
		e.received[peer] = append(e.received[peer], f)
	}
}

// forget removes a peer without a session.
func (e *ends) forget(peer netip.Addr) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.received, peer)
}

// all reports whether a peer has sent the end of all of these.
func (e *ends) all(peer netip.Addr, families []bgp.Family) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !slices.ContainsFunc(families, func(f bgp.Family) bool { return !slices.Contains(e.received[peer], f) })
}
