// SPDX-License-Identifier: Apache-2.0

package icmp

import (
	"context"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// announceDelay is how long changes are collected before they are announced, and the delay before a failed attempt is repeated.
const announceDelay = 200 * time.Millisecond

// Announce informs the machines behind the uplink of the location of containers' addresses: when a container starts, and of all when
// another uplink takes over. Otherwise silent containers would receive nothing until switches have aged out the old location. It runs until
// ctx ends; then it returns nil. changed is closed at the next change, view calls a function with the State.
func (r *Responder) Announce(ctx context.Context, changed func() <-chan struct{}, view func(func(*ofnet.State))) error {
	told := map[string]bool{}
	for {
		next := changed()
		var want map[string]pipeline.Announcement
		view(func(s *ofnet.State) { want = pipeline.Announcements(s) })
		for key := range told {
			if _, ok := want[key]; !ok {
				delete(told, key)
			}
		}
		failed := false
		for key, a := range want {
			if told[key] {
				continue
			}
			if err := r.packets.Inject(a.Actions, frame.Announce(a.Addr, a.MAC)); err != nil {
				failed = true // the switch is away: everything is announced after its return
				break
			}
			told[key] = true
		}
		timer := time.NewTimer(announceDelay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		if failed {
			continue
		}
		select {
		case <-next:
		case <-ctx.Done():
			return nil
		}
	}
}
