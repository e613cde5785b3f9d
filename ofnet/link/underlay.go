// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/vishvananda/netlink"
)

// Underlay is the interface that carries a host's tunnel address.
type Underlay struct {
	Name  string
	Index int
	MTU   int
	MAC   net.HardwareAddr
	Up    bool // it is up and has a link, as far as the kernel knows
}

// Underlay finds the interface that carries addr.
func (h *Host) Underlay(addr netip.Addr) (Underlay, error) {
	addrs, err := h.nl.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return Underlay{}, fmt.Errorf("list addresses: %w", err)
	}
	for _, a := range addrs {
		if got, ok := netip.AddrFromSlice(a.IP); ok && got.Unmap() == addr.Unmap() {
			l, err := h.nl.LinkByIndex(a.LinkIndex)
			if err != nil {
				return Underlay{}, fmt.Errorf("look up interface of %s: %w", addr, err)
			}
			return underlayOf(l), nil
		}
	}
	return Underlay{}, fmt.Errorf("%w %s (check --vtep-ip)", ErrNoAddress, addr)
}

// Interface returns an interface by name, for its MAC and MTU.
func (h *Host) Interface(name string) (Underlay, error) {
	l, err := h.nl.LinkByName(name)
	if err != nil {
		return Underlay{}, fmt.Errorf("look up interface %s: %w", name, err)
	}
	return underlayOf(l), nil
}

func underlayOf(l netlink.Link) Underlay {
	a := l.Attrs()
	down := a.Flags&net.FlagUp == 0 || a.OperState == netlink.OperDown || a.OperState == netlink.OperLowerLayerDown
	return Underlay{Name: a.Name, Index: a.Index, MTU: a.MTU, MAC: a.HardwareAddr, Up: !down}
}

// ErrNoAddress means that no interface has an address.
var ErrNoAddress = errors.New("no interface has the address")

// VXLANOverhead is the number of bytes that a tunnel adds to a frame: outer Ethernet, IP, UDP and VXLAN headers (RFC 7348 section 5). VLAN
// adds nothing, because NICs accept a tagged frame of full MTU.
func VXLANOverhead(vtep netip.Addr) int {
	if vtep.Is6() && !vtep.Is4In6() {
		return 14 + 40 + 8 + 8
	}
	return 14 + 20 + 8 + 8
}

// FollowMTU calls changed with the MTU of the interface that carries addr, now and whenever it changes, until ctx ends; then it returns
// nil. If no interface has the address it retries at the next change of a link, at most once per second.
func (h *Host) FollowMTU(ctx context.Context, addr netip.Addr, changed func(mtu int)) error {
	last := 0
	look := func() (index int) {
		u, err := h.Underlay(addr)
		if err != nil {
			return 0
		}
		if u.MTU != last {
			last = u.MTU
			changed(u.MTU)
		}
		return u.Index
	}
	for ctx.Err() == nil {
		updates := make(chan netlink.LinkUpdate, 64)
		stop := make(chan struct{})
		err := netlink.LinkSubscribeWithOptions(updates, stop, netlink.LinkSubscribeOptions{Namespace: h.ns.netnsHandle()})
		index := look()
		for open := err == nil; open; {
			var u netlink.LinkUpdate
			select {
			case <-ctx.Done():
				open = false
			case u, open = <-updates:
				if open && (index == 0 || int(u.Index) == index) {
					index = look()
				}
			}
		}
		close(stop)
		if err == nil {
			for range updates { // let the subscription's goroutine end
			}
		}
		t := time.NewTimer(time.Second)
		select {
		case <-ctx.Done():
		case <-t.C:
		}
		t.Stop()
	}
	return nil
}
