// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"net/netip"
)

// PublishedPort is a port of a host for a container, as GET /inspect/published of its host's agent returns it.
type PublishedPort struct {
	Protocol  string         `json:"protocol"`      // "tcp", "udp" or "sctp"
	Host      netip.AddrPort `json:"host"`          // an unspecified address means all of the host's, of that family
	Container uint16         `json:"container"`     // port of the container
	Why       string         `json:"why,omitempty"` // why it does not lead there; "" if it does
}

// String describes the port in one line: "tcp 0.0.0.0:8080 to 80", with a remark if it does not lead there.
func (p *PublishedPort) String() string {
	text := fmt.Sprintf("%s %s to %d", p.Protocol, p.Host, p.Container)
	if p.Why != "" {
		text += ", does not work: " + p.Why
	}
	return text
}
