// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
)

// ErrNoRouter is returned by Status on a host without a router.
var ErrNoRouter = errors.New("this host has no BGP router; netctl bgp create makes one, for clusters in forwarding mode routing")

// Status is the state of a router, in the original's format.
type Status struct {
	Peers []PeerStatus `json:"peers"`
	Dsts  []string     `json:"dsts"` // prefixes that peers announce
	// Waiting are those of them that are not forwarded yet, because the link address of the next hop is unknown.
	Waiting []string    `json:"waiting,omitempty"`
	Hops    []HopStatus `json:"nexthops,omitempty"`
	// Kept are those that an earlier agent has learned, and that no peer has announced again yet.
	Kept  []string `json:"kept,omitempty"`
	Own   []string `json:"announced,omitempty"`
	Error string   `json:"error,omitempty"`
}

// HopStatus is a next hop.
type HopStatus struct {
	Address  string `json:"address"`
	MAC      string `json:"mac,omitempty"` // "": it is unknown, or the address is not on the link
	Prefixes int    `json:"prefixes"`      // that use it, with or without others
}

// Status returns the state of the router; an error is ErrNoRouter.
func (r *Router) Status() (Status, error) {
	mode, want := r.o.Mode(), r.wanted()
	r.mu.Lock()
	defer r.mu.Unlock()
	if want.router == nil {
		return Status{}, ErrNoRouter
	}
	if mode != "routing" {
		return Status{}, fmt.Errorf("the cluster's forwarding mode is %s: %w", mode, ErrNoRouter)
	}
	out := Status{Peers: []PeerStatus{}, Dsts: []string{}}
	if r.problem != nil {
		out.Error = r.problem.Error()
	}
	hops := map[netip.Addr]*HopStatus{}
	for p, via := range r.table.routes {
		n := r.table.hops[via]
		if p.Addr() == n.Hops[0].Addr {
			continue // a peer
		}
		out.Dsts = append(out.Dsts, p.String())
		if len(n.Resolved()) == 0 {
			out.Waiting = append(out.Waiting, p.String())
		}
		for _, h := range n.Hops {
			if hops[h.Addr] == nil {
				hops[h.Addr] = &HopStatus{Address: h.Addr.String()}
				if h.MAC != (ofnet.MAC{}) {
					hops[h.Addr].MAC = net.HardwareAddr(h.MAC[:]).String()
				}
			}
			hops[h.Addr].Prefixes++
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(hops), netip.Addr.Compare) {
		out.Hops = append(out.Hops, *hops[a])
	}
	if r.kept != nil {
		for p := range r.kept.routes {
			if p.Bits() < p.Addr().BitLen() || !slices.Contains(r.kept.routes[p], p.Addr()) {
				out.Kept = append(out.Kept, p.String())
			}
		}
	}
	if r.speaker != nil { // otherwise nothing is announced
		for p := range want.addresses {
			out.Own = append(out.Own, p.String())
		}
	}
	for _, list := range [][]string{out.Dsts, out.Waiting, out.Kept, out.Own} {
		slices.Sort(list)
	}
	if r.speaker == nil {
		return out, nil
	}
	peers, err := r.speaker.Peers()
	if err != nil {
		out.Error = err.Error()
	}
	out.Peers = append(out.Peers, peers...)
	return out, nil
}
