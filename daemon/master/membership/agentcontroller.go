// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
)

// Times of an AgentController. A silent agent has no session after channel.SilenceMost, so both times together are within GoneLimit.
const (
	pollInterval = time.Second     // time between two requests
	goneAfter    = 5 * time.Second // how long an agent may have no session before it counts as stopped
)

// AgentController records whose agents run: those with a session at a netmaster. It is a duty of the leader's.
type AgentController struct {
	Registrar *Registrar
	Catalog   *catalog.Catalog
	// Served asks all netmasters for their sessions.
	Served func(ctx context.Context) []channel.Served

	seen  map[string]sighting // hosts; nil: not read in this term
	began time.Time
}

// sighting is the time and the netmaster of an agent's last session.
type sighting struct {
	at time.Time
	by string
}

// Run checks until ctx ends. During the first GoneLimit it records no end.
func (k *AgentController) Run(ctx context.Context) {
	k.seen = nil
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		k.Look(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Look checks once, and records agents that have started or stopped. It blocks until the store has that.
func (k *AgentController) Look(ctx context.Context) {
	served := k.Served(ctx)
	now := k.Registrar.now()
	if k.seen == nil {
		k.seen, k.began = map[string]sighting{}, now
	}
	var come, gone []string
	k.Catalog.View(func(v *catalog.View) {
		for i := range served {
			k.recordSessions(v, &served[i], now)
		}
		for _, h := range v.Hosts() {
			at, runs := k.seen[h.Label].at, v.Running(h.Label)
			switch {
			case at.Equal(now) && !runs:
				come = append(come, h.Label)
			case runs && now.Sub(at) >= goneAfter && now.Sub(k.began) >= GoneLimit:
				gone = append(gone, h.Label)
			}
		}
	})
	for host, s := range k.seen {
		if now.Sub(s.at) > goneAfter {
			delete(k.seen, host)
		}
	}
	if len(come)+len(gone) > 0 && ctx.Err() == nil {
		k.write(ctx, come, gone)
	}
}

// recordSessions records a netmaster's sessions. If the netmaster does not answer, its agents count as present.
func (k *AgentController) recordSessions(v *catalog.View, by *channel.Served, now time.Time) {
	if by.Err != nil {
		for host, s := range k.seen {
			if s.by == by.Master {
				k.seen[host] = sighting{now, by.Master}
			}
		}
		return
	}
	for i := range by.Sessions {
		s := &by.Sessions[i]
		if h := v.Host(s.Host); h != nil && s.Of(h.Label, h.Instance) {
			k.seen[s.Host] = sighting{now, by.Master}
		}
	}
}

// write records agents that have started or stopped, except for those that have reported the opposite since.
func (k *AgentController) write(ctx context.Context, come, gone []string) {
	r := k.Registrar
	var ended []string
	_, err := r.commit.Join(ctx, func(tx *commit.Tx) error {
		ended = ended[:0]
		for _, host := range come {
			if h := tx.Host(host); h == nil || r.hasEnded(h) {
				continue
			}
			if err := r.running(tx, host); err != nil {
				return err
			}
		}
		for _, host := range gone {
			if h := tx.Host(host); h == nil || !r.hasBegun(h) {
				stopped(tx, host)
				ended = append(ended, host)
			}
		}
		return nil
	})
	if err != nil {
		r.log.Debug("who runs was not noted; it is tried again", "retry", pollInterval, "error", err)
		return
	}
	for _, host := range ended {
		r.log.Warn("agent of a host stopped, or cannot reach a netmaster", "host", host)
	}
}
