// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// PortMapping is a port of the host that leads to a port of a container.
type PortMapping struct {
	Protocol  uint8          // IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP
	Host      netip.AddrPort // the unspecified address of a family means all addresses of the host
	Container uint16
}

// PortWish is a PortMapping whose host port is chosen from a range: from Host's port to Last. Host's port is 0 if any port is acceptable,
// and equals Last if only that one is.
type PortWish struct {
	PortMapping
	Last uint16
}

// Wish returns a wish for exactly this mapping.
func (m PortMapping) Wish() PortWish { return PortWish{m, m.Host.Port()} }

// Chosen reports whether a mapping fulfils the wish.
func (w PortWish) Chosen(m PortMapping) bool {
	port := m.Host.Port()
	return m.Protocol == w.Protocol && m.Container == w.Container && m.Host.Addr() == w.Host.Addr() && (w.Host.Port() == 0 || port >= w.Host.Port() && port <= w.Last)
}

// String returns the mapping as in "tcp/0.0.0.0:8080=80", which ParsePortMapping parses.
func (m PortMapping) String() string {
	return fmt.Sprintf("%s/%s=%d", ProtocolName(m.Protocol), m.Host, m.Container)
}

// ProtocolName returns "tcp", "udp" or "sctp" for an IP protocol number that a PortMapping may have, and the number for any other.
func ProtocolName(p uint8) string {
	for name, number := range portProtocols {
		if number == p {
			return name
		}
	}
	return strconv.Itoa(int(p))
}

// ParsePortMapping parses "tcp/0.0.0.0:8080=80" or "udp/[::]:53=53".
func ParsePortMapping(text string) (PortMapping, error) {
	name, rest, _ := strings.Cut(text, "/")
	host, container, _ := strings.Cut(rest, "=")
	protocol, ok := portProtocols[name]
	at, err := netip.ParseAddrPort(host)
	port, failed := strconv.ParseUint(container, 10, 16)
	if !ok || err != nil || failed != nil || port == 0 || at.Port() == 0 || at.Addr().Zone() != "" || at.Addr().Is4In6() {
		return PortMapping{}, fmt.Errorf("%q is not like tcp/0.0.0.0:8080=80 or udp/[::]:53=53", text)
	}
	return PortMapping{protocol, at, uint16(port)}, nil
}

// JoinPortMappings joins mappings to one text, which SplitPortMappings parses; "" for none.
func JoinPortMappings(list []PortMapping) string {
	words := make([]string, len(list))
	for i, m := range list {
		words[i] = m.String()
	}
	return strings.Join(words, ",")
}

// SplitPortMappings parses the text of JoinPortMappings.
func SplitPortMappings(text string) (list []PortMapping, err error) {
	if text == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		m, err := ParsePortMapping(word)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// Overlaps reports whether one packet can match both ports of the host.
func (m PortMapping) Overlaps(o PortMapping) bool {
	a, b := m.Host.Addr(), o.Host.Addr()
	return m.Protocol == o.Protocol && m.Host.Port() == o.Host.Port() && a.BitLen() == b.BitLen() &&
		(a == b || a.IsUnspecified() || b.IsUnspecified())
}
