package link

import (
	"fmt"
	"net"
	"net/netip"
)

// discard is the UDP port whose datagrams nobody answers (RFC 863).
const discard = 9

// Greet sends an empty UDP datagram to a neighbour, so that the kernel resolves its link address; Open vSwitch learns
// it from the answer as that passes by. It does not wait for one. An address that no route leads to is an error.
func (h *Host) Greet(addr netip.Addr) error {
	err := h.ns.Do(func() error {
		c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(addr, discard)))
		if err != nil {
			return err
		}
		_, err = c.Write(nil)
		if closed := c.Close(); err == nil {
			err = closed
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("greet %s: %w", addr, err)
	}
	return nil
}
