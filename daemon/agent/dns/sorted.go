// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// maxSorted bounds the lists of sorted.
const maxSorted = 1024

// members are endpoints that share a group or a name.
type members = table.Rows[string, *record.Endpoint]

// sorted has the ordered addresses of members that were asked for: a large group is ordered once, and again when one of its members has
// changed. Its methods are safe for concurrent use.
type sorted struct {
	mu    sync.Mutex
	lists map[members][]netip.Addr
}

// addresses returns the addresses of members, ordered. The caller must not change them.
func (s *sorted) addresses(of members) []netip.Addr {
	s.mu.Lock()
	addrs, done := s.lists[of]
	s.mu.Unlock()
	if done {
		return addrs
	}
	addrs = sortedAddresses(of)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lists == nil || len(s.lists) >= maxSorted { // most of them are of members that have changed
		s.lists = map[members][]netip.Addr{}
	}
	s.lists[of] = addrs
	return addrs
}

// sortedAddresses returns the addresses of members, ordered.
func sortedAddresses(of members) (addrs []netip.Addr) {
	for e := range of.Values() {
		addrs = append(addrs, names.Addresses(e)...)
	}
	slices.SortFunc(addrs, netip.Addr.Compare)
	return addrs
}
