// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Private returns the subnet between hosts and endpoints, as last received.
func (e *Engine) Private() netip.Prefix {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.records.private()
}

// DefaultGateway returns the next hop of an endpoint on a network without a gateway: the router, which answers for every address of a
// routed network. It is the host's private address for IPv4, and a link-local one for IPv6. It is invalid if nothing is routed and hosts do
// not access endpoints directly.
func (e *Engine) DefaultGateway(ipv6 bool) netip.Addr {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.defaultGateway(ipv6)
}

func (e *Engine) defaultGateway(ipv6 bool) netip.Addr {
	switch {
	case e.records.global.FwdMode != record.FwdRouting && !e.records.direct():
		return netip.Addr{}
	case ipv6:
		return pipeline.RouterLinkLocal()
	}
	return pipeline.HostAddr(e.records.private())
}

// Direct reports whether hosts and endpoints use their own addresses with each other, as last received.
func (e *Engine) Direct() bool { return e.Global().HostAccess == record.HostDirect }

// Routing reports whether all networks of the cluster are routed, as last received.
func (e *Engine) Routing() bool { return e.Global().FwdMode == record.FwdRouting }

// Router returns the router's own address in the network with a number: its gateway, or its substitute; invalid if this switch is no
// router, or the network is unknown.
func (e *Engine) Router(number uint32, ipv6 bool) netip.Addr {
	e.mu.Lock()
	defer e.mu.Unlock()
	for n := range e.records.networks.Values() {
		if n.SegmentID() != number {
			continue
		}
		s, err := segment(n, &e.records.global)
		if err != nil || !pipeline.OwnsGateway(s) {
			return netip.Addr{}
		}
		gw := s.Gateway4
		if ipv6 {
			gw = s.Gateway6
		}
		if gw.IsValid() {
			return gw
		}
		return e.defaultGateway(ipv6)
	}
	return netip.Addr{}
}

// Networks returns all networks of the cluster as last received, ordered by id.
func (e *Engine) Networks() []record.Network {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]record.Network, 0, e.records.networks.Len())
	for n := range e.records.networks.Values() {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b record.Network) int { return a.ID.Compare(b.ID) })
	return out
}

// SetUplinks sets the OpenFlow ports of the trunk's members that receive frames for many destinations: the active one, or those of the
// channel if the peer switch treats several as one.
func (e *Engine) SetUplinks(active uint32, channel []uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Fixed.ActiveUplink() == active && slices.Equal(e.Fixed.Channel, channel) {
		return
	}
	e.Fixed.Active, e.Fixed.Channel = active, channel
	e.update()
	e.notify(true)
}
