// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"log/slog"

	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/channel/channeltest"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/test/bench/loadgen"
)

// start starts an agent's engine, of the first host, over the records, and returns it with what ends it.
func (r *records) start(ctx context.Context, b desired.Bridge) (*desired.Engine, func()) {
	e := desired.New(desired.Options{Bridge: b, Self: ofnet.Host{Label: loadgen.Host(0), VTEP: loadgen.VTEP(0)},
		Fixed: ofnet.Ports{Tunnel: 1000, Host: 1002}, Log: slog.New(slog.DiscardHandler)})
	for i := range pods {
		if r.HostOf(i) == 0 {
			e.SetPort(r.Endpoint(i).ID.String(), uint32(2000+i))
		}
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- e.Run(running, desired.Following{Source: channeltest.Source{Store: r.db.Open()}}) }()
	return e, func() {
		stop()
		if err := <-done; err != nil {
			r.tb.Fatal(err)
		}
	}
}

// ready waits until an engine has handed everything on.
func (r *records) ready(ctx context.Context, e *desired.Engine) {
	select {
	case <-e.Ready():
	case <-ctx.Done():
		r.tb.Fatal(ctx.Err())
	}
}
