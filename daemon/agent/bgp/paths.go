// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/osrg/gobgp/v4/api"
	"github.com/osrg/gobgp/v4/pkg/apiutil"
	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
)

// MaxHops is the maximum number of next hops of a prefix; a prefix with more uses the first of them.
const MaxHops = 16

// Routes returns the best routes that peers announce, without martians: next hops by prefix, those of equally good paths, sorted. It
// includes routes of peers that restart gracefully. It ends with a call that the server answers in turn, so that all reads happen before
// any later change of the routes.
func (s *Speaker) Routes() (map[netip.Prefix][]netip.Addr, error) {
	out := map[netip.Prefix][]netip.Addr{}
	for _, family := range s.config.families() {
		err := s.server.ListPath(apiutil.ListPathRequest{TableType: api.TableType_TABLE_TYPE_GLOBAL, Family: family}, func(nlri bgp.NLRI, paths []*apiutil.Path) {
			prefix, err := netip.ParsePrefix(nlri.String())
			if err != nil || martian(prefix) {
				return
			}
			if hops := s.hops(paths); len(hops) > 0 {
				out[prefix.Masked()] = hops
			}
		})
		if err != nil {
			return nil, fmt.Errorf("list BGP routes of %s: %w", family, err)
		}
	}
	if _, err := s.server.GetBgp(context.Background(), &api.GetBgpRequest{}); err != nil {
		return nil, fmt.Errorf("list BGP routes: %w", err)
	}
	return out, nil
}

// hops returns the next hops of the best path and of equally good ones; none if the best is our own.
func (s *Speaker) hops(paths []*apiutil.Path) (out []netip.Addr) {
	var best merit
	for i, p := range paths {
		next := nextHop(p)
		if !next.IsValid() || next.IsUnspecified() || next == s.config.Address.Addr() || next == s.config.Address6.Addr() {
			if i == 0 {
				return nil
			}
			continue
		}
		m := s.merit(p)
		if i == 0 {
			best = m
		}
		if m == best && len(out) < MaxHops && !slices.Contains(out, next) {
			out = append(out, next)
		}
	}
	slices.SortFunc(out, netip.Addr.Compare)
	return out
}

// nextHop is the next hop of a path, or the zero Addr. An IPv4-mapped IPv6 address, as a speaker without an address of IPv6 sends it, is
// unmapped.
func nextHop(p *apiutil.Path) netip.Addr {
	for _, a := range p.Attrs {
		switch n := a.(type) {
		case *bgp.PathAttributeNextHop:
			return n.Value.Unmap()
		case *bgp.PathAttributeMpReachNLRI:
			return n.Nexthop.Unmap()
		}
	}
	return netip.Addr{}
}

// merit is the part of path selection before the tie-breakers (RFC 4271, section 9.1.2.2).
type merit struct {
	preference, med uint32
	length          int
	origin          uint8
	inner           bool // iBGP
}

func (s *Speaker) merit(p *apiutil.Path) merit {
	const usualPreference = 100
	m := merit{preference: usualPreference, inner: p.PeerASN == s.config.AS}
	for _, a := range p.Attrs {
		switch v := a.(type) {
		case *bgp.PathAttributeLocalPref:
			m.preference = v.Value
		case *bgp.PathAttributeMultiExitDisc:
			m.med = v.Value
		case *bgp.PathAttributeOrigin:
			m.origin = v.Value
		case *bgp.PathAttributeAsPath:
			for _, part := range v.Value {
				m.length += part.ASLen()
			}
		}
	}
	return m
}
