// SPDX-License-Identifier: Apache-2.0

package underlay

import (
	"net/netip"
	"sync/atomic"

	"github.com/contiv/contiv/ofnet/link"
)

// defaultMTU holds until the interface that has the tunnel address is known.
const defaultMTU = 1500

// Size is how large packets between hosts may be, as last read. It is safe for concurrent use.
type Size struct {
	VTEP  netip.Addr // tunnel address
	nics  []string
	links *link.Host

	tunnel atomic.Int64 // MTU of the interface that has the tunnel address
	trunk  atomic.Int64 // the least MTU of the NICs that carry VLANs; 0: there are none
}

// NewSize reads the NICs' MTUs; the tunnel's is 1500 until an Underlay knows better.
func NewSize(links *link.Host, vtep netip.Addr, nics []string) *Size {
	s := &Size{VTEP: vtep, nics: nics, links: links}
	s.tunnel.Store(defaultMTU)
	s.readTrunk()
	return s
}

// Room returns how large packets may be.
func (s *Size) Room() link.Room {
	return link.Room{Tunnel: s.MTU(), Overhead: link.VXLANOverhead(s.VTEP), Trunk: int(s.trunk.Load())}
}

// MTU returns that of the interface that has the tunnel address.
func (s *Size) MTU() int { return int(s.tunnel.Load()) }

// readTrunk reads the least MTU of the NICs, and reports whether it has changed. A NIC that is absent does not count.
func (s *Size) readTrunk() (changed bool) {
	least := 0
	for _, nic := range s.nics {
		if at, err := s.links.Interface(nic); err == nil && (least == 0 || at.MTU < least) {
			least = at.MTU
		}
	}
	if least == 0 {
		return false
	}
	return s.trunk.Swap(int64(least)) != int64(least)
}
