// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"net"
	"slices"
	"strconv"

	"github.com/contiv/contiv/daemon/record"
)

// Netmasters has the URLs of netmasters.
type Netmasters struct {
	Scheme string                             // of the URLs
	Sent   func() []record.Service            // the netmasters that netmasters have sent, the leader first
	Find   func(ctx context.Context) []string // finds further URLs; it may block until ctx ends. nil: none
}

// Known returns the URLs that netmasters have sent.
func (n *Netmasters) Known() (out []string) {
	for _, s := range n.Sent() {
		out = append(out, n.Scheme+"://"+net.JoinHostPort(s.HostAddr, strconv.Itoa(s.Port)))
	}
	return out
}

// All returns the known URLs and the found ones. It may block until ctx ends.
func (n *Netmasters) All(ctx context.Context) []string {
	out := n.Known()
	if n.Find == nil {
		return out
	}
	for _, url := range n.Find(ctx) {
		if !slices.Contains(out, url) {
			out = append(out, url)
		}
	}
	return out
}
