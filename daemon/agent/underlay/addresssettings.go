// SPDX-License-Identifier: Apache-2.0

package underlay

import (
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/daemon/flags"
)

// AddressSettings are the addresses by which this host is reached.
type AddressSettings struct {
	Control netip.Addr // of the agent's inspection server
	VTEP    netip.Addr // tunnel address
	Node4   netip.Addr // the machine's own addresses for containers; invalid, like Node6: those of the control address's interface
	Node6   netip.Addr

	control, vtep string
	nodes         []string
}

// Register adds the flags.
func (s *AddressSettings) Register(f *flags.Set) {
	f.String(&s.control, "ctrl-ip", "CONTROL_IP", "", "address of this agent's inspection API, or a prefix in which this host has one address (default: that of the first usable interface)")
	f.String(&s.vtep, "vtep-ip", "VTEP_IP", "", "tunnel address, or a prefix in which this host has one address, such as 192.168.0.0/24, the same for all hosts (default: --ctrl-ip)")
	f.List(&s.nodes, "node-addresses", "NODE_ADDRESSES", "addresses at which this machine and containers reach each other directly, at most one of IPv4 and one of IPv6 (default: those of the interface that has --ctrl-ip)")
}

// Check parses the addresses, and returns an error for invalid ones. An address that the host does not have yet is flags.ErrAbsent.
func (s *AddressSettings) Check() (err error) {
	for _, text := range s.nodes {
		a, err := netip.ParseAddr(text)
		if a = a.Unmap(); err != nil || a.Zone() != "" || !a.IsGlobalUnicast() {
			return fmt.Errorf("--node-addresses %s: it is an IP address of this host", text)
		}
		own := &s.Node4
		if a.Is6() {
			own = &s.Node6
		}
		if own.IsValid() {
			return fmt.Errorf("--node-addresses %s: %s is of the same family; name one of each", text, *own)
		}
		*own = a
	}
	if s.Control, err = address("ctrl-ip", s.control, netip.Addr{}); err != nil {
		return err
	}
	s.VTEP, err = address("vtep-ip", s.vtep, s.Control)
	return err
}
