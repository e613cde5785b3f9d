// SPDX-License-Identifier: Apache-2.0

package page

import (
	"strings"

	"github.com/contiv/contiv/api/model"
)

// whyFlow asks about a packet that would match a flow, by the flow's text. Open fields are requested. A flow that an endpoint caused is for
// packets that it sends.
func whyFlow(f *model.Flow) *Page {
	var from, to, protocol, port string
	match, _, _ := strings.Cut(f.Flow, "actions=")
	for _, word := range strings.FieldsFunc(match, func(r rune) bool { return r == ',' || r == ' ' }) {
		name, value, set := strings.Cut(word, "=")
		switch name {
		case "nw_src", "ipv6_src":
			from = singleAddress(value)
		case "nw_dst", "ipv6_dst":
			to = singleAddress(value)
		case "tp_dst", "tcp_dst", "udp_dst":
			port = value
		case "tcp", "udp", "icmp", "tcp6", "udp6", "icmp6":
			if !set {
				protocol = strings.TrimSuffix(name, "6")
			}
		}
	}
	if strings.HasPrefix(f.Owner, "endpoint/") && from == "" && to == "" {
		from = f.Owner
	}
	traffic := ""
	switch {
	case protocol == "icmp":
		traffic = protocol
	case protocol != "" && port != "" && !strings.Contains(port, "/"):
		traffic = protocol + " " + port
	}
	return Why(from, to, traffic)
}

// singleAddress is a match on a single address, "" on a range of them.
func singleAddress(value string) string {
	if strings.Contains(value, "/") {
		return ""
	}
	return value
}
