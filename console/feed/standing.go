package feed

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/api/model"
)

const (
	standingEvery  = 10 * time.Second // the standing questions are asked that often while a recording is made
	standingMost   = 32               // hosts, and networks, that are asked about
	standingAtOnce = 4                // questions under way at a time
)

// askStanding asks, while a recording is made, what pages would ask that are not on the screen, so that each of them has something
// to show when the recording is played. It ends with ctx.
func (f *Feed) askStanding(ctx context.Context) error {
	for ctx.Err() == nil {
		if s := f.store.snapshot(); s.Synced && len(s.Nodes) > 0 {
			group := errgroup.Group{}
			group.SetLimit(standingAtOnce)
			for _, q := range standing(s) {
				group.Go(func() error { f.answer(ctx, q); return nil })
			}
			_ = group.Wait() // answers tell their errors themselves
			pause(ctx, standingEvery)
			continue
		}
		pause(ctx, frameEvery)
	}
	return nil
}

// standing is what every recording answers: who leads, and of the first hosts and networks their flows, rules and
// addresses.
func standing(s *Snapshot) []Question {
	out := []Question{{Topic: Leadership}, {Topic: Health}}
	hosts := 0
	for _, n := range s.Nodes {
		if n.Role != model.RoleAgent {
			continue
		}
		if hosts++; hosts > standingMost {
			break
		}
		out = append(out, Question{Topic: Flows, Host: n.Name}, Question{Topic: Rules, Host: n.Name})
	}
	networks := s.Objects[model.KindNetwork().Name]
	for _, n := range networks[:min(standingMost, len(networks))] {
		out = append(out, Question{Topic: Addresses, Key: n.ObjectKey()})
	}
	return out
}
