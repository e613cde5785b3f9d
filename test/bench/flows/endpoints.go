// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"runtime"
	"time"

	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/channel/channeltest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/resources"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// How many endpoints the agent knows, one of fifty here, and how many come then, one by one.
const (
	endpointsKnown    = 5000
	endpointsMeasured = 500
)

// endpoints measures endpoints of this host that come one by one, in turn with the same changes sent by a program that has nothing
// to find out.
func endpoints(tb *harness.Stand, rounds int) *report.Table {
	ovs := ovstest.Start(tb)
	ovs.Bridge(brName)
	empty := func() {
		ovs.Ofctl("del-flows", brName)
		ovs.Ofctl("del-groups", brName)
	}
	var ours, bare percentiles
	machine := harness.NewMachine()
	for range rounds {
		empty()
		each, sent := arrivals(tb, ovs.Mgmt(brName))
		ours.add(each)
		empty()
		bare.add(sent.replay(tb, ovs.Mgmt(brName)))
	}
	most, peers := report.Median(ours.p99), report.Median(bare.p99)
	t := &report.Table{Title: fmt.Sprintf("one endpoint more, %d in turn, %d known, medians of %d rounds in turn; %s", endpointsMeasured, endpointsKnown,
		rounds, machine)}
	t.Add(report.Row{What: "from the watch's event until past the barrier, p50", Ours: report.Millis(report.Median(ours.p50)),
		Peer: report.Millis(report.Median(bare.p50)) + " the same changes, known beforehand", Target: "-", Met: true})
	t.Add(report.Row{What: "... p99", Ours: report.Millis(most), Peer: report.Millis(peers), Ratio: most.Seconds() / peers.Seconds(),
		Target: "<= " + report.Millis(maxEndpoint), Met: most <= maxEndpoint})
	t.Add(report.Row{What: "... p99 of each round, sorted", Ours: ours.String(), Peer: bare.String(), Target: "-", Met: true})
	return t
}

// arrivals puts endpoints of this host into a store of which an agent's engine and reconciler already know many, and returns how long
// each took until its flows were past the switch's barrier, and what was sent. The store is in memory, so that is only the time of the
// agent and the switch: the watch's event comes at once.
func arrivals(tb *harness.Stand, mgmt string) (each []time.Duration, sent *tape) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	db := memory.New()
	put := func(key string, value any) store.Revision {
		data, err := json.Marshal(value)
		if err != nil {
			tb.Fatal(err)
		}
		tx := &store.Tx{}
		tx.Put(key, data)
		rev, err := db.Commit(ctx, tx)
		if err != nil {
			tb.Fatal(err)
		}
		return rev
	}
	put(record.GlobalKey, record.Global{ID: "global", FwdMode: record.FwdBridge, ArpMode: record.ArpProxy, PvtSubnet: ofnet.DefaultPrivate()})
	put(record.Tenants+"t", record.Tenant{ID: "t", Tenant: "t", VRF: 1})
	put(record.Networks+"t:n", record.Network{ID: identity.Network{Tenant: "t", Name: "n"}, Kind: record.DataNetwork, Encap: record.VXLAN, PktTag: 2, ExtPktTag: 1,
		Subnet: netip.MustParsePrefix("10.1.0.0/16"), Gateway: netip.MustParseAddr("10.1.255.254")})
	for i := range endpointsKnown {
		e := arrival(i)
		if i%50 != 0 {
			e.Host, e.VTEP = fmt.Sprintf("h%d", 1+i%10), netip.AddrFrom4([4]byte{192, 168, 251, byte(2 + i%10)})
		}
		put(record.Endpoints+e.ID.String(), e)
	}
	quiet := slog.New(slog.DiscardHandler)
	sent = &tape{Connector: bridge.NewOpenFlow(mgmt, openflow.Options{})}
	r := bridge.NewReconciler("h0", pipeline.Default(), sent, bridge.Options{Log: quiet})
	engine := desired.New(desired.Options{Bridge: r, Self: ofnet.Host{Label: "h0", VTEP: netip.MustParseAddr("192.168.251.1")},
		Fixed: ofnet.Ports{Tunnel: 1000, Host: 1002}, Log: quiet})
	for i := 0; i < endpointsKnown; i += 50 {
		engine.SetPort(arrival(i).ID.String(), uint32(2000+i))
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 2)
	go func() { done <- r.Run(running) }()
	go func() { done <- engine.Run(running, desired.Following{Source: channeltest.Source{Store: db.Open()}}) }()
	err := wait(ctx, engine)
	sent.filled()
	go resources.Garbage(running, nil) // as in an agent, and so are the processors
	_ = resources.Slack(resources.AgentSlack)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(resources.Processors(runtime.GOMAXPROCS(0), os.Getenv("GOMAXPROCS"))))
	for i := range endpointsMeasured {
		if err != nil {
			break
		}
		e := arrival(endpointsKnown + i)
		engine.SetPort(e.ID.String(), uint32(20000+i))
		began := time.Now()
		rev := put(record.Endpoints+e.ID.String(), e)
		err = engine.Wait(ctx, e.ID.String(), uint64(rev))
		each = append(each, time.Since(began))
	}
	stop()
	if err := errors.Join(err, <-done, <-done); err != nil {
		tb.Fatalf("endpoints: %v", err)
	}
	if len(sent.each) != endpointsMeasured {
		tb.Fatalf("endpoints: %d changes for %d endpoints", len(sent.each), endpointsMeasured)
	}
	return each, sent
}

// wait waits until the switch has what the engine knew at its start.
func wait(ctx context.Context, engine *desired.Engine) error {
	select {
	case <-engine.Ready():
		rev, _ := engine.Seen()
		return engine.Wait(ctx, arrival(0).ID.String(), rev)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// arrival is the record of endpoint number i, on this host.
func arrival(i int) record.Endpoint {
	at := []byte{10, 1, byte((i + 1) >> 8), byte(i + 1)}
	return record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: "t", Name: "n"}, Endpoint: fmt.Sprintf("c%d", i)},
		IP: netip.AddrFrom4([4]byte(at)), MAC: record.MAC(append([]byte{2, 2}, at...)), Host: "h0", VTEP: netip.AddrFrom4([4]byte{192, 168, 251, 1})}
}
