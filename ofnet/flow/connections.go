// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"net/netip"
	"strings"
)

// Connections selects tracked connections of a zone that match all fields. The zero value of a field matches anything.
type Connections struct {
	Zone        uint16
	Protocol    uint8 // IP protocol
	Orig, Reply Tuple // as the opening side sends, and as the other side does
}

// Tuple is one direction of connections.
type Tuple struct {
	Src, Dst         netip.Addr
	SrcPort, DstPort uint16 // of TCP, UDP and SCTP
}

// Words are the arguments after the switch with which ovs-ofctl ct-flush selects the same (ovs-ofctl(8)): zone, and two tuples, of which an
// empty one is a space.
func (c Connections) Words() []string {
	return []string{fmt.Sprintf("zone=%d", c.Zone), c.Orig.words(c.Protocol, true), c.Reply.words(c.Protocol, c.Reply != Tuple{})}
}

func (t Tuple) words(protocol uint8, told bool) string {
	var words []string
	for _, a := range []struct {
		name string
		netip.Addr
	}{{"src", t.Src}, {"dst", t.Dst}} {
		switch {
		case a.Is4():
			words = append(words, "ct_nw_"+a.name+"="+a.String())
		case a.Is6():
			words = append(words, "ct_ipv6_"+a.name+"="+a.String())
		}
	}
	if protocol != 0 && told {
		words = append(words, fmt.Sprintf("ct_nw_proto=%d", protocol))
	}
	if t.SrcPort != 0 {
		words = append(words, fmt.Sprintf("ct_tp_src=%d", t.SrcPort))
	}
	if t.DstPort != 0 {
		words = append(words, fmt.Sprintf("ct_tp_dst=%d", t.DstPort))
	}
	if len(words) == 0 {
		return " "
	}
	return strings.Join(words, ",")
}

// String returns Words as typed on a command line.
func (c Connections) String() string {
	w := c.Words()
	return fmt.Sprintf("%s '%s' '%s'", w[0], strings.TrimSpace(w[1]), strings.TrimSpace(w[2]))
}
