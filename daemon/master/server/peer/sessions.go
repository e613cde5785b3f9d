// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"slices"
	"sync"

	"github.com/contiv/contiv/daemon/channel"
)

// Sessions asks all registered netmasters for the agents that are connected to them; own is the address of this netmaster, whose agents local returns.
// When brief, the sessions have no status. It blocks for at most Limit.
func (p *Peers) Sessions(ctx context.Context, own string, local func() []channel.Session, brief bool) []channel.Served {
	masters := p.Masters()
	if !slices.Contains(masters, own) {
		masters = append(masters, own)
	}
	path := channel.SessionsPath
	if brief {
		path += "?brief=true"
	}
	out := make([]channel.Served, len(masters))
	var wait sync.WaitGroup
	for i, m := range masters {
		out[i].Master = m
		if m == own {
			out[i].Sessions = local()
			continue
		}
		wait.Go(func() { out[i].Err = p.Get(ctx, m, path, &out[i].Sessions) })
	}
	wait.Wait()
	return out
}
