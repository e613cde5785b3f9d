// SPDX-License-Identifier: Apache-2.0

package packetin_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/packetin"
)

// The program hears of each switch that has its flows: the first, and the one that takes its place, in which nothing is left of them.
func TestHeld(t *testing.T) {
	ovs := ovstest.Start(t)
	ovs.Bridge("br0")
	held := make(chan struct{}, 8)
	leased := flow.New(0, 10, flow.NewMatch(flow.Eq(flow.EthType, 0x88b5)), flow.Do(flow.ToMeter(flow.LeasedMeters+9), flow.Output(flow.PortController)))
	leased.Cookie = flow.NewCookie(flow.Leased, 1, 7)
	r := packetin.New(packetin.Options{Socket: ovs.Mgmt("br0"), Flows: []flow.Flow{leased}, Meter: flow.Meter{ID: flow.LeasedMeters + 9, Packets: true, Rate: 10, Burst: 10},
		Handle: func(context.Context, packetin.Packet) {}, Held: func() { held <- struct{}{} }, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	await := func(what string) {
		t.Helper()
		select {
		case <-held:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: no switch has the flows", what)
		}
	}
	await("at first")
	ovs.StopSwitch()
	ovs.StartSwitch()
	await("another switch")
	if got := r.Counts().Lost; got == 0 {
		t.Error("want the loss of the first switch counted")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if len(held) > 0 {
		t.Error("more switches than there were")
	}
}
