package icmp

import (
	"context"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// settle is how long changes are gathered before they are announced, and after which a failed attempt is repeated.
const settle = 200 * time.Millisecond

// Announce tells the machines behind the uplink where the addresses of containers are: when a container comes, and of all
// when another uplink takes over. Silent containers would else get nothing until switches have forgotten the old
// place. It works until ctx ends; then it returns nil. changed is closed with the next change, view shows the State.
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
				failed = true // the switch is away: its return brings all
				break
			}
			told[key] = true
		}
		timer := time.NewTimer(settle)
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
