// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/resources"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// part is the measured part of an agent.
type part struct{ url, mgmt, profiles string }

// run runs the agent. It prints a line when the switch has everything, and ends with its standard input.
func (p *part) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if p.profiles != "" {
		file, err := os.Create(p.profiles + "cpu")
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // pprof reports an incomplete profile
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	go resources.Garbage(ctx, nil, os.Getenv("GOGC"), os.Getenv("GOMEMLIMIT"))
	_ = resources.Slack(resources.AgentSlack) // needs a right, whose lack is no error
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	l := layout{hosts: 1}
	client := channel.NewClient(channel.Options{Host: self, Masters: func(context.Context) []string { return []string{p.url} }, HTTP: channel.NewHTTP(nil), Log: log})
	r := bridge.NewReconciler(self, pipeline.Default(), bridge.NewOpenFlow(p.mgmt, openflow.Options{}), bridge.Options{Log: log})
	e := desired.New(desired.Options{Bridge: r, Self: ofnet.Host{Label: self, VTEP: l.vtep(0)}, Fixed: ofnet.Ports{Tunnel: 1000, Host: 1002}, Log: log})
	for i := range here {
		id := l.endpoint(i).ID
		e.SetPort(id.String(), uint32(1+i))
	}
	done := make(chan error, 2)
	go func() { done <- r.Run(ctx) }()
	go func() { done <- e.Run(ctx, desired.Following{Source: client}) }()
	select {
	case <-e.Ready():
	case <-ctx.Done():
		return ctx.Err()
	}
	seen, _ := e.Seen()
	if err := r.Wait(ctx, seen); err != nil {
		return err
	}
	s := r.Summary()
	fmt.Println("programmed", s.Flows, r.Counters().FlowMods)
	runtime.GOMAXPROCS(resources.Processors(runtime.GOMAXPROCS(0), os.Getenv("GOMAXPROCS")))
	pprof.StopCPUProfile()
	if err := p.profile("start"); err != nil {
		return err
	}
	for buf := make([]byte, 1); ; {
		if _, err := os.Stdin.Read(buf); err != nil {
			break
		}
	}
	err := p.profile("settled")
	stop()
	<-done
	<-done
	return err
}

// profile writes the heap in use, and all allocations, if requested.
func (p *part) profile(when string) error {
	if p.profiles == "" {
		return nil
	}
	file, err := os.Create(p.profiles + when)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // pprof reports an incomplete profile
	return pprof.Lookup("heap").WriteTo(file, 0)
}
