// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"
)

// urls returns the URLs of all netmasters that ever ran; agents find the running ones.
func (w *world) urls(context.Context) []string { return w.known }

// join makes agents of this process follow netmasters of another machine until ctx ends, and prints how many are connected.
func (s size) join(ctx context.Context, netmasters []string) error {
	w := &world{size: s, known: netmasters}
	by := newWire()
	for i := range s.agents {
		a := newAgent(s.first+i, by)
		w.agents = append(w.agents, a)
		w.start(ctx, s.first+i, a)
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		told := 0
		for _, a := range w.agents {
			if a.is(func(a *agent) bool { return a.known > 0 && a.admitted }) {
				told++
			}
		}
		fmt.Printf("%d of %d agents connected, %s so far\n", told, len(w.agents), megabytes(float64(by.came.Load())))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
