// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

const (
	// checksTime is how long the checks of a real agent take at most (daemon/agent/pathprobe).
	checksTime = 1600 * time.Millisecond
	statuses   = 40 // requests
)

// serveChecks serves the checks of all agents, which find nothing. Each agent has an address of its own in 127.0.0.0/8.
func (w *world) serveChecks(ctx context.Context) error {
	l, err := net.Listen("tcp4", ":0")
	if err != nil {
		return fmt.Errorf("serve the agents' checks: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /inspect/findings", func(a http.ResponseWriter, q *http.Request) {
		select {
		case <-time.After(checksTime):
			_, _ = a.Write([]byte("[]"))
		case <-q.Context().Done():
		}
	})
	s := &http.Server{Handler: mux, ReadHeaderTimeout: timeout}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	go func() { _ = s.Serve(l) }()
	w.checks = netip.MustParseAddrPort(l.Addr().String()).Port()
	return nil
}

// controlOf returns the control address of an agent.
func (w *world) controlOf(host int) netip.AddrPort {
	if w.checks == 0 { // the netmasters are on another machine
		return netip.AddrPortFrom(vtepOf(host), 9090)
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, byte(1 + host>>16), byte(host >> 8), byte(host)}), w.checks)
}

// view measures what netctl status and netctl doctor take of the leader.
func (w *world) view(ctx context.Context, t *report.Table) error {
	leader, err := w.leader(ctx)
	if err != nil {
		return err
	}
	m := w.masters[leader]
	c := &client.Client{Base: m.url, HTTP: &http.Client{Timeout: timeout}}
	spent := func(do func() error) (time.Duration, error) {
		before, err := harness.CPU(m.cmd.Process.Pid)
		if err != nil {
			return 0, err
		}
		if err := do(); err != nil {
			return 0, err
		}
		after, err := harness.CPU(m.cmd.Process.Pid)
		return after - before, err
	}
	var took []time.Duration
	begun := time.Now()
	used, err := spent(func() error {
		for range statuses {
			at := time.Now()
			if _, err := c.Health(ctx); err != nil {
				return err
			}
			took = append(took, time.Since(at))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("status: %w", err)
	}
	during := time.Since(begun)
	idle, err := spent(func() error { time.Sleep(during); return nil })
	if err != nil {
		return err
	}
	each := max(0, used-idle) / statuses
	t.Add(report.Row{What: "netctl status, the leader's processor time", Ours: report.Millis(each), Target: "5 ms", Met: each <= 5*time.Millisecond})
	t.Add(report.Row{What: "... until the answer", Ours: report.Millis(report.Median(took)), Target: "-", Met: true})
	at := time.Now()
	h, err := c.Doctor(ctx, "")
	if err != nil {
		return fmt.Errorf("doctor: %w", err)
	}
	all := time.Since(at)
	silent := 0
	for i := range h.Findings {
		if h.Findings[i].Code == model.FindingAgentUnknown {
			silent++
		}
	}
	t.Add(report.Row{What: fmt.Sprintf("netctl doctor, the checks of each agent take %s", seconds(checksTime)), Ours: seconds(all), Target: "5 s", Met: all <= 5*time.Second})
	t.Add(report.Row{What: "... agents that did not answer", Ours: fmt.Sprint(silent), Target: "0", Met: silent == 0})
	return nil
}
