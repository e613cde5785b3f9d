package bgp

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
)

// ends remembers which peers have announced the end of what they had (End-of-RIB, RFC 4724, section 2), of which kinds of
// routes. The library's own word does not say so: to a peer that restarts at the same time as this speaker routes are told
// without waiting for that peer's, and the library then counts its end as received. A peer may call itself restarting long
// after it was; FRR does so for as long as its restart time.
type ends struct {
	mu   sync.Mutex
	told map[netip.Addr][]bgp.Family // in their present session
}

// add notes an end.
func (e *ends) add(peer netip.Addr, f bgp.Family) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.told[peer], f) {
		e.told[peer] = append(e.told[peer], f)
	}
}

// forget is for a peer without a session.
func (e *ends) forget(peer netip.Addr) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.told, peer)
}

// all says whether a peer has told the end of all of these.
func (e *ends) all(peer netip.Addr, families []bgp.Family) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !slices.ContainsFunc(families, func(f bgp.Family) bool { return !slices.Contains(e.told[peer], f) })
}
