// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"crypto/sha256"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
)

// table is what a Router adds to the State.
type table struct {
	routes map[netip.Prefix]string // names of next hops
	hops   map[string]*ofnet.NextHops
}

func newTable() table {
	return table{routes: map[netip.Prefix]string{}, hops: map[string]*ofnet.NextHops{}}
}

// add adds a route by the next hops, which are sorted.
func (t *table) add(p netip.Prefix, hops []ofnet.NextHop) {
	words := make([]string, len(hops))
	for i, h := range hops {
		words[i] = h.Addr.String()
	}
	name := strings.Join(words, ",")
	t.routes[p] = name
	if t.hops[name] == nil {
		t.hops[name] = &ofnet.NextHops{Name: name, Hops: hops}
	}
}

// number gives all next hops a number: nearly always the one that their names have in every life of an agent.
func (t *table) number() {
	taken := map[uint32]bool{0: true}
	for _, name := range slices.Sorted(maps.Keys(t.hops)) {
		h := sha256.Sum256([]byte(name))
		n := uint32(h[0])<<16 | uint32(h[1])<<8 | uint32(h[2])
		for taken[n] {
			n = (n + 1) & (1<<24 - 1)
		}
		taken[n], t.hops[name].ID = true, n
	}
}

// put makes t the only routes of s.
func (t *table) put(s *ofnet.State) {
	for name, now := range t.hops {
		if was := s.NextHops.Get(name); was == nil || was.ID != now.ID || !slices.Equal(was.Hops, now.Hops) {
			s.NextHops.Set(name, now)
		}
	}
	for p, via := range t.routes {
		if was := s.Routes.Get(p.String()); was == nil || was.Via != via {
			s.Routes.Set(p.String(), &ofnet.Route{Prefix: p, Via: via})
		}
	}
	for name, r := range s.Routes.Clone().All() {
		if _, ok := t.routes[r.Prefix]; !ok {
			s.Routes.Delete(name)
		}
	}
	for name := range s.NextHops.Clone().All() {
		if t.hops[name] == nil {
			s.NextHops.Delete(name)
		}
	}
}

// learn makes routes of the peers' announcements, and for a while of what is kept of an earlier agent. A next hop that is not on the link
// is not used, and neither is one whose link address is unknown: it waits until it is resolved.
func (r *Router) learn() error {
	learned, err := r.speaker.Routes()
	if err != nil {
		return err
	}
	for i := range r.config.Peers { // the path to a peer itself, which no peer announces
		a := r.config.Peers[i].Address
		learned[netip.PrefixFrom(a, a.BitLen())] = []netip.Addr{a}
	}
	if err := r.review(); err != nil {
		return err
	}
	r.mu.Lock()
	kept := r.kept
	r.mu.Unlock()
	if kept != nil {
		for p, hops := range kept.routes {
			learned[p] = merge(learned[p], hops)
		}
	}
	t, macs := newTable(), map[netip.Addr]ofnet.MAC{}
	for p, vias := range learned {
		if r.announced[p] {
			continue // our own route, returned
		}
		hops := make([]ofnet.NextHop, len(vias))
		for i, via := range vias {
			mac, asked := macs[via]
			if !asked && r.config.onLink(via) {
				mac = r.resolve(via, kept)
				macs[via] = mac
			}
			hops[i] = ofnet.NextHop{Addr: via, MAC: mac}
		}
		t.add(p, hops)
	}
	t.number()
	r.set(t)
	return nil
}

// merge merges two sorted lists, each address once.
func merge(a, b []netip.Addr) []netip.Addr {
	out := slices.Concat(a, b)
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out)
}

// resolve returns the link address of a next hop, or starts resolving it.
func (r *Router) resolve(via netip.Addr, kept *keep) ofnet.MAC {
	mac, ok := r.o.Link.Neighbour(via)
	if ok {
		return mac
	}
	if err := r.o.Link.Ask(via); err != nil {
		r.o.Log.Debug("next hop", "address", via, "error", err) // the next check retries
	}
	if kept != nil {
		return kept.macs[via]
	}
	return ofnet.MAC{}
}

// set makes these the only routes of the State.
func (r *Router) set(t table) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.table
	same := maps.Equal(old.routes, t.routes) && maps.EqualFunc(old.hops, t.hops, func(a, b *ofnet.NextHops) bool {
		return a.ID == b.ID && slices.Equal(a.Hops, b.Hops)
	})
	if same {
		return
	}
	r.table, r.forgetful = t, true
	r.o.Update(0, t.put)
}

// review ends the time of what is kept if all peers have announced all their routes, or did not return in time.
func (r *Router) review() error {
	r.mu.Lock()
	kept := r.kept
	r.mu.Unlock()
	if kept == nil {
		return nil
	}
	if time.Now().After(kept.until) {
		r.forget("peers did not come back in time")
		return nil
	}
	peers, err := r.speaker.Peers()
	if err != nil {
		return err
	}
	for i := range peers {
		if !peers[i].complete {
			return nil
		}
	}
	// Routes announced before the end marker may have arrived after the last read.
	if !kept.complete {
		kept.complete = true
		r.notify()
		return nil
	}
	r.forget("all peers are back")
	return nil
}

// forget ends the time of what is kept.
func (r *Router) forget(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		return
	}
	r.o.Log.Info("dropped routes of the previous agent", "routes", len(r.kept.routes), "reason", why)
	r.kept = nil
}
