// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/api/model"
)

const (
	openInterval = 10 * time.Second // interval of the standing questions while a recording is made
	maxOpen      = 32               // maximum numbers of hosts, and networks
	openParallel = 4                // concurrent requests
)

// pollQuestions asks, while a recording is made, what pages would ask that are not on the screen, so that each of them has something
// to show when the recording is played. It ends with ctx.
func (f *Feed) pollQuestions(ctx context.Context) error {
	for ctx.Err() == nil {
		if s := f.store.snapshot(); s.Synced && len(s.Nodes) > 0 {
			group := errgroup.Group{}
			group.SetLimit(openParallel)
			for _, q := range openQuestions(s) {
				group.Go(func() error { f.answer(ctx, q); return nil })
			}
			_ = group.Wait() // answers contain their errors
			pause(ctx, openInterval)
			continue
		}
		pause(ctx, frameInterval)
	}
	return nil
}

// openQuestions are the questions of every recording: the leader, and of the first hosts and networks their flows, rules and addresses.
func openQuestions(s *Snapshot) []Question {
	out := []Question{{Topic: Leadership}, {Topic: Health}}
	hosts := 0
	for _, n := range s.Nodes {
		if n.Role != model.RoleAgent {
			continue
		}
		if hosts++; hosts > maxOpen {
			break
		}
		out = append(out, Question{Topic: Flows, Host: n.Name}, Question{Topic: Rules, Host: n.Name})
	}
	networks := s.Objects[model.KindNetwork().Name]
	for _, n := range networks[:min(maxOpen, len(networks))] {
		out = append(out, Question{Topic: Addresses, Key: n.ObjectKey()})
	}
	return out
}
