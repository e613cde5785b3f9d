// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"fmt"
	"hash/fnv"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// The range of ports that are chosen automatically: the dynamic ones (RFC 6335 section 6). Only part of them is tried, since each try is a
// system call.
const (
	firstChosen, lastChosen = 49152, 65535
	maxTries                = 512
)

// choose finds a port of the host for each wish: the one that held already has for it, or one that no other container, and no program of
// the host, uses. Wishes that differ only in the host's address, as for both families, get the same port.
func (e *Engine) choose(endpoint string, wishes []link.PortWish, held []link.PortMapping) (out []link.PortMapping, err error) {
	var open [][]link.PortWish // of one port each
	for _, w := range wishes {
		if w.Host.Port() != 0 && w.Host.Port() == w.Last {
			out = append(out, w.PortMapping)
			continue
		}
		i := slices.IndexFunc(open, func(l []link.PortWish) bool {
			o := &l[0]
			return o.Protocol == w.Protocol && o.Container == w.Container && o.Host.Port() == w.Host.Port() && o.Last == w.Last
		})
		if i < 0 {
			i, open = len(open), append(open, nil)
		}
		open[i] = append(open[i], w)
	}
	taken := slices.Concat(out, e.others(endpoint))
	for _, group := range open {
		got, err := e.chooseOne(endpoint, group, held, taken)
		if err != nil {
			return nil, err
		}
		out, taken = append(out, got...), append(taken, got...)
	}
	return out, nil
}

// others returns the ports that lead to other endpoints.
func (e *Engine) others(endpoint string) (out []link.PortMapping) {
	for _, p := range e.Switch.Ports(ovsdb.IDEndpoint, "") {
		if p.ExternalIDs[ovsdb.IDEndpoint] != endpoint {
			theirs, _ := link.SplitPortMappings(p.ExternalIDs[ovsdb.IDPublished]) // an invalid value maps nothing
			out = append(out, theirs...)
		}
	}
	return out
}

// chooseOne finds one port for wishes that differ only in the host's address.
func (e *Engine) chooseOne(endpoint string, group []link.PortWish, held, taken []link.PortMapping) ([]link.PortMapping, error) {
	first, last := int(group[0].Host.Port()), int(group[0].Last)
	if first == 0 {
		first, last = firstChosen, lastChosen
	}
	for _, m := range held {
		if group[0].Chosen(m) && !slices.ContainsFunc(taken, m.Overlaps) {
			return at(group, m.Host.Port()), nil
		}
	}
	start := 0 // of a range the first that is free
	if group[0].Host.Port() == 0 {
		h := fnv.New32a()
		fmt.Fprintf(h, "%s/%d/%d", endpoint, group[0].Protocol, group[0].Container) // a hash never fails
		start = int(h.Sum32() % uint32(last-first+1))
	}
	for n := range min(last-first+1, maxTries) {
		got := at(group, uint16(first+(start+n)%(last-first+1)))
		if !slices.ContainsFunc(got, func(m link.PortMapping) bool {
			return slices.ContainsFunc(taken, m.Overlaps) || e.Links.Bound(m.Protocol, m.Host) != nil
		}) {
			return got, nil
		}
	}
	return nil, fmt.Errorf("%w: none of the host's ports %d to %d is free for port %d of the container; name another one", ErrPublish, first, last, group[0].Container)
}

// at returns the mappings of wishes at one port of the host.
func at(group []link.PortWish, port uint16) (out []link.PortMapping) {
	for _, w := range group {
		m := w.PortMapping
		m.Host = netip.AddrPortFrom(m.Host.Addr(), port)
		out = append(out, m)
	}
	return out
}
