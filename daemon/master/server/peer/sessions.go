package peer

import (
	"context"
	"slices"
	"sync"

	"github.com/contiv/contiv/daemon/channel"
)

// Sessions asks all registered netmasters which agents they tell; own is the address of the one that asks, with the agents of its own. When brief,
// nothing is said of how they are. It blocks for Limit at the most.
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
