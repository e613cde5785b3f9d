// SPDX-License-Identifier: Apache-2.0

package underlay

import (
	"context"
	"time"
)

// newMTU records the MTU of the interface that has the tunnel address, and gives containers theirs if it has changed.
func (u *Underlay) newMTU(ctx context.Context, mtu int) {
	if old := u.Size.tunnel.Swap(int64(mtu)); old == int64(mtu) {
		return
	}
	u.Log.Info("MTU of the underlay", "vtep", u.Size.VTEP, "mtu", mtu)
	u.Switch.LimitARP() // the tunnel's address has appeared, possibly on a bridge
	u.adjust(ctx)
}

func (u *Underlay) adjust(ctx context.Context) {
	if err := u.Adjust(ctx); err != nil {
		u.Log.Warn("MTU of containers", "error", err)
	}
}

// trunkInterval is how often the uplinks' MTU is read without a notification of the kernel.
const trunkInterval = 10 * time.Second

// followTrunk gives containers the MTU of the uplinks whenever that changes, until ctx ends.
func (u *Underlay) followTrunk(ctx context.Context) error {
	tick := time.NewTicker(trunkInterval)
	defer tick.Stop()
	for {
		changed := u.Links.Changed()
		if u.Size.readTrunk() {
			u.Log.Info("MTU of the uplinks", "uplinks", u.Size.nics, "mtu", u.Size.trunk.Load())
			u.adjust(ctx)
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// followDirect updates the MTU of containers when the cluster enables or disables direct access between hosts and endpoints, until ctx
// ends.
func (u *Underlay) followDirect(ctx context.Context) error {
	last := u.Records.Direct()
	for {
		changed := u.Records.Changed()
		if now := u.Records.Direct(); now != last {
			last = now
			u.adjust(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
