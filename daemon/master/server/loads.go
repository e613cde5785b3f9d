package server

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/contiv/contiv/api/model"
)

// serviceLoad fills in what the backends of a service got from the clients of all hosts, and how it fares there.
func (b *backend) serviceLoad(ctx context.Context, key string, o *model.ServiceLBOper) {
	type place struct{ port, backend string }
	sums := map[place]model.ServiceStatus{}
	for _, h := range askAll[model.ServiceStatus](ctx, b, "/inspect/services", key) {
		if h.err != nil {
			o.Hosts = append(o.Hosts, h.silence())
			continue
		}
		for i := range h.list {
			s := &h.list[i]
			if i == 0 {
				o.Hosts = append(o.Hosts, hostLine(h.host, s))
			}
			if s.Backend == "" {
				continue
			}
			at := place{s.Port, s.Backend}
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
	for _, at := range slices.SortedFunc(maps.Keys(sums), func(a, b place) int {
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
