package node

import (
	"context"
	"fmt"
	"time"
)

// mostSilence is for how long an attachment waits for an Open vSwitch that does not answer. A restart of Open vSwitch takes
// less; a container runtime tries again in seconds.
const mostSilence = 3 * time.Second

// lookForLife is how often an attachment under way looks whether Open vSwitch has fallen silent.
const lookForLife = 100 * time.Millisecond

// lifeless says which part of Open vSwitch has not answered for mostSilence, nil when none has.
func (n *Node) lifeless() error {
	if quiet := n.forward.Unanswered(); quiet >= mostSilence {
		return fmt.Errorf("ovs-vswitchd at %s has not answered for %v: it is stopped, dead or overloaded; try again once it answers",
			ManagementSocket(n.OVSRunDir), quiet.Round(time.Second))
	}
	if quiet := n.db.Unanswered(); quiet >= mostSilence {
		return fmt.Errorf("ovsdb-server at %s has not answered for %v: it is stopped, dead or overloaded; try again once it answers",
			n.OVSRunDir, quiet.Round(time.Second))
	}
	return nil
}

// vital returns a context that ends, with the reason as its cause, when Open vSwitch does not answer; the second result
// releases it.
func (n *Node) vital(ctx context.Context) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	if err := n.lifeless(); err != nil {
		end(err)
		return ctx, func() {}
	}
	go func() {
		tick := time.NewTicker(lookForLife)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if err := n.lifeless(); err != nil {
				end(err)
				return
			}
		}
	}()
	return ctx, func() { end(nil) }
}

// silent is what is said beside the name of something that does not answer, "" while that is too short to be told.
func silent(quiet time.Duration) string {
	if quiet < mostSilence {
		return ""
	}
	return " (it does not answer)"
}
