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
	Host      netip.AddrPort // the unspecified address of a family stands for all of the host's
	Container uint16
}

// PortWish is a PortMapping whose port of the host may be chosen: any from Host's own to Last. Host's is 0 where any will do, and equals Last where only that one
// will.
type PortWish struct {
	PortMapping
	Last uint16
}

// Wish is a wish for this very mapping.
func (m PortMapping) Wish() PortWish { return PortWish{m, m.Host.Port()} }

// Chosen reports whether a mapping fulfils the wish.
func (w PortWish) Chosen(m PortMapping) bool {
	port := m.Host.Port()
	return m.Protocol == w.Protocol && m.Container == w.Container && m.Host.Addr() == w.Host.Addr() && (w.Host.Port() == 0 || port >= w.Host.Port() && port <= w.Last)
}

// String is the mapping as in "tcp/0.0.0.0:8080=80", which ParsePortMapping reads.
func (m PortMapping) String() string {
	return fmt.Sprintf("%s/%s=%d", ProtocolName(m.Protocol), m.Host, m.Container)
}

// ProtocolName is "tcp", "udp" or "sctp" of an IP protocol number that a PortMapping may have, and the number of another one.
func ProtocolName(p uint8) string {
	for name, number := range portProtocols {
		if number == p {
			return name
		}
	}
	return strconv.Itoa(int(p))
}

// ParsePortMapping reads "tcp/0.0.0.0:8080=80" or "udp/[::]:53=53".
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

// JoinPortMappings is one text for several mappings, which SplitPortMappings reads; "" for none.
func JoinPortMappings(list []PortMapping) string {
	words := make([]string, len(list))
	for i, m := range list {
		words[i] = m.String()
	}
	return strings.Join(words, ",")
}

// SplitPortMappings reads what JoinPortMappings wrote.
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

// Overlaps reports whether one packet can be for both ports of the host.
func (m PortMapping) Overlaps(o PortMapping) bool {
	a, b := m.Host.Addr(), o.Host.Addr()
	return m.Protocol == o.Protocol && m.Host.Port() == o.Host.Port() && a.BitLen() == b.BitLen() &&
		(a == b || a.IsUnspecified() || b.IsUnspecified())
}
