// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// never are intervals in which a test finds nothing.
func never() bridge.Options {
	return bridge.Options{Resync: time.Hour, Glance: time.Hour}
}

// Flows that another program deletes, changes or adds are repaired when the switch reports that, long before a comparison is due.
func TestWatch(t *testing.T) {
	f := bridge.NewFake()
	f.Report()
	r := bridge.NewReconciler("h0", pipeline.Default(), f, never())
	start(t, r)
	r.Update(1, fill(ofnettest.Many(3, 3)))
	wait(t, r, 1)
	until(t, "the first comparison", func() bool { return r.Counters().Resyncs >= 1 })
	all := f.Set()
	changed := all.Flows[1]
	changed.Actions = flow.Do()
	foreign := flow.New(0, 60000, flow.Match{}, flow.Do())
	for n, d := range []flow.Delta{{DelFlows: all.Flows[:1]}, {ModFlows: []flow.Flow{changed}}, {AddFlows: []flow.Flow{foreign}}} {
		if err := f.Tamper(d); err != nil {
			t.Fatal(err)
		}
		until(t, fmt.Sprintf("the repair of change %d", n), func() bool { return len(r.Drifted()) > n && len(f.Set().Flows) == len(all.Flows) })
	}
	same(t, ofnettest.Many(3, 3), f.Set())
}

// A program that changes flows all the time causes few comparisons.
func TestWatch_Flood(t *testing.T) {
	f := bridge.NewFake()
	f.Report()
	r := bridge.NewReconciler("h0", pipeline.Default(), f, never())
	start(t, r)
	r.Update(1, fill(ofnettest.Many(3, 3)))
	wait(t, r, 1)
	until(t, "the first comparison", func() bool { return r.Counters().Resyncs >= 1 })
	before, begin := r.Counters().Resyncs, time.Now()
	foreign := flow.New(0, 60000, flow.Match{}, flow.Do())
	for n := 0; r.Counters().Resyncs < before+4; n++ {
		if err := f.Tamper(flow.Delta{AddFlows: []flow.Flow{foreign}}); err != nil {
			t.Fatal(err)
		}
		if n > 1e8 {
			t.Fatal("nothing is compared")
		}
	}
	if took := time.Since(begin); took < 700*time.Millisecond {
		t.Errorf("4 comparisons within %v", took)
	}
}

// A switch that refuses to report changes is no failed connection: it is compared at intervals.
func TestWatch_Refused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		head := make([]byte, 8)
		for {
			if _, err := io.ReadFull(c, head); err != nil {
				return
			}
			if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint16(head[2:]))-8); err != nil {
				return
			}
			var answer openflow.Message
			switch openflow.Type(head[1]) {
			case openflow.TypeHello:
				answer = &openflow.Hello{Versions: 1 << openflow.Version}
			case openflow.TypeFeaturesRequest:
				answer = &openflow.Features{}
			case openflow.TypeMultipartRequest:
				answer = &openflow.Error{Kind: 1, Code: 3} // OFPBRC_BAD_EXPERIMENTER, as Open vSwitch 2.15
			default:
				continue
			}
			out, err := openflow.Append(nil, binary.BigEndian.Uint32(head[4:]), answer)
			if err != nil {
				return
			}
			if _, err := c.Write(out); err != nil {
				return
			}
		}
	}()
	sw, err := bridge.NewOpenFlow(path, openflow.Options{}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sw.Close() }()
	if changes, err := sw.Watch(t.Context()); changes != nil || err != nil {
		t.Errorf("got %v, %v", changes, err)
	}
	select {
	case <-sw.Done():
		t.Error("the connection has ended")
	default:
	}
}

// Open vSwitch reports changes by other programs, and not those of the connection itself or of leased flows.
func TestWatch_OpenVSwitch(t *testing.T) {
	o := ovstest.Start(t)
	o.Bridge("br0")
	c := bridge.NewOpenFlow(o.Mgmt("br0"), openflow.Options{})
	sw, err := c.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sw.Close() }()
	changes, err := sw.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := changes != nil, ovstest.Monitors(t); got != want {
		t.Fatalf("reports changes: got %v, want %v", got, want)
	}
	own := flow.New(3, 9, flow.Match{}, flow.Do())
	if err := sw.Apply(t.Context(), &flow.Delta{AddFlows: []flow.Flow{own}}); err != nil {
		t.Fatal(err)
	}
	o.Ofctl("add-flow", "br0", "cookie=0xff01000000000001,table=4,priority=9,actions=drop")
	if _, err := sw.Filled(t.Context()); err != nil { // comes after the reports
		t.Fatal(err)
	}
	select {
	case <-changes:
		t.Error("changes of its own, or of a leased flow, are reported")
	default:
	}
	for _, do := range [][]string{{"add-flow", "table=5,priority=9,tcp,tp_dst=80,actions=drop"}, {"mod-flows", "table=5,actions=NORMAL"}, {"del-flows", "table=3"}} {
		o.Ofctl(do[0], "br0", do[1])
		select {
		case <-changes:
		case <-time.After(10 * time.Second):
			t.Errorf("%v is not reported", do)
		}
	}
}
