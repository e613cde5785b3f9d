// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/server/peer"
)

// serviceLoad fills in what the backends of a service got from the clients of all hosts, and how it fares there.
func (i *Inspector) serviceLoad(ctx context.Context, key string, o *model.ServiceLBOper) {
	type portBackend struct{ port, backend string }
	sums := map[portBackend]model.ServiceStatus{}
	for _, h := range peer.All[[]model.ServiceStatus](ctx, i.Peers, "/inspect/services", key) {
		if h.Err != nil {
			o.Hosts = append(o.Hosts, h.Silence())
			continue
		}
		for n := range h.Answer {
			s := &h.Answer[n]
			if n == 0 {
				o.Hosts = append(o.Hosts, hostLine(h.Host, s))
			}
			if s.Backend == "" {
				continue
			}
			at := portBackend{s.Port, s.Backend}
			sum := sums[at]
			sum.Connections += s.Connections
			sum.PacketsIn += s.PacketsIn
			sum.BytesIn += s.BytesIn
			sum.PacketsOut += s.PacketsOut
			sum.BytesOut += s.BytesOut
			sums[at] = sum
			o.Connections += int(s.Connections)
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(sums), func(a, b portBackend) int {
		return slices.Compare([]string{a.port, a.backend}, []string{b.port, b.backend})
	}) {
		s := sums[at]
		o.Load = append(o.Load, fmt.Sprintf("%s %s: %d connections, in %d packets, %d bytes, out %d packets, %d bytes",
			at.port, at.backend, s.Connections, s.PacketsIn, s.BytesIn, s.PacketsOut, s.BytesOut))
	}
}

// hostLine is a service on one host.
func hostLine(host string, s *model.ServiceStatus) string {
	if s.Error != "" {
		return host + " " + s.Phase + ": " + s.Error
	}
	return host + " " + s.Phase
}
