// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/contiv/contiv/daemon/channel"
)

// Query is what a netmaster is asked about its sessions.
type Query struct {
	Brief bool   // no status
	Since uint64 // only statuses with a higher number (channel.Session); 0: all
}

// path returns the path of the request.
func (q Query) path() string {
	switch {
	case q.Brief:
		return channel.SessionsPath + "?brief=true"
	case q.Since > 0:
		return channel.SessionsPath + "?since=" + strconv.FormatUint(q.Since, 10)
	}
	return channel.SessionsPath
}

// Sessions asks all registered netmasters for the agents that are connected to them; own is the address of this netmaster, whose agents local returns,
// and query returns what to ask the netmaster at an address. It blocks for at most Limit.
func (p *Peers) Sessions(ctx context.Context, own string, local func() []channel.Session, query func(master string) Query) []channel.Served {
	masters := p.Masters()
	if !slices.Contains(masters, own) {
		masters = append(masters, own)
	}
	out := make([]channel.Served, len(masters))
	var wait sync.WaitGroup
	for i, m := range masters {
		out[i].Master = m
		if m == own {
			out[i].Sessions = local()
			continue
		}
		wait.Go(func() { out[i].Err = p.Get(ctx, m, query(m).path(), &out[i].Sessions) })
	}
	wait.Wait()
	return out
}
