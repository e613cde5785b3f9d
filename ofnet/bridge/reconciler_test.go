// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// quick has options with short times, so that tests do not wait long.
var quick = bridge.Options{Portion: 8, Resync: 50 * time.Millisecond, RetryFirst: 5 * time.Millisecond, MaxRetry: 20 * time.Millisecond,
	Redial: 5 * time.Millisecond}

// world is a kind of switch on which a test runs.
type world struct {
	name string
	open func(tb testing.TB) (sw bridge.Connector, dump func() flow.Set, tamper func(flow.Delta), kill func())
}

func worlds() []world {
	return []world{
		{"fake", func(tb testing.TB) (bridge.Connector, func() flow.Set, func(flow.Delta), func()) {
			f := bridge.NewFake()
			tamper := func(d flow.Delta) {
				if err := f.Tamper(d); err != nil {
					tb.Fatal(err)
				}
			}
			return f, f.Set, tamper, func() { f.Stop(); f.Start() }
		}},
		{"ovs", func(tb testing.TB) (bridge.Connector, func() flow.Set, func(flow.Delta), func()) {
			o, sw := newOVS(tb)
			dump := func() (s flow.Set) {
				direct(tb, sw, func(ctx context.Context, c bridge.Switch) (err error) {
					s, err = c.Dump(ctx, flow.Share{})
					return err
				})
				s.Sort()
				return s
			}
			tamper := func(d flow.Delta) {
				direct(tb, sw, func(ctx context.Context, c bridge.Switch) error { return c.Apply(ctx, &d) })
			}
			return sw, dump, tamper, func() { o.StopSwitch(); o.StartSwitch() }
		}},
	}
}

// direct calls do with a new connection.
func direct(tb testing.TB, sw bridge.Connector, do func(context.Context, bridge.Switch) error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := sw.Connect(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := do(ctx, c); err != nil {
		tb.Fatal(err)
	}
}

// until polls a condition that other goroutines bring about, for at most half a minute.
func until(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			tb.Fatalf("half a minute is over: want %s", what)
		}
	}
}

func endpointKey(id string) []ofnet.Key { return []ofnet.Key{{Kind: ofnet.KindEndpoint, Name: id}} }

// compiled returns the flows that the State requires of this machine's switch.
func compiled(s *ofnet.State) flow.Set {
	s = s.Clone()
	s.Missing = ovstest.Lacks()
	return pipeline.Default().CompileAll(s)
}

// same fails the test unless the switch has exactly the flows that the State requires.
func same(tb testing.TB, s *ofnet.State, have flow.Set) {
	tb.Helper()
	if d := flow.Diff(compiled(s), have); !d.Empty() {
		tb.Errorf("switch: want what the State asks for, got these differences\n%s", d.String())
	}
}

// TestLife takes a switch through its life: it is filled, changed, tampered with, killed and taken over.
func TestLife(t *testing.T) {
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			sw, dump, tamper, kill := w.open(t)
			// A flow that someone left there.
			stale := flow.New(4, 7, flow.NewMatch(flow.Eq(flow.InPort, 999)), flow.Do(flow.GotoTable(8)))
			tamper(flow.Delta{AddFlows: []flow.Flow{stale}})

			many := func() *ofnet.State { // with a group that selects, and a meter
				s := ofnettest.Many(30, 30)
				s.Services = ofnettest.Parse(t, "service t:v address=10.0.0.253 ports=tcp:80:80 backends=10.0.0.1,10.0.0.2").Services
				s.Groups.Set("t:g", &ofnet.Group{Name: "t:g", Tenant: "t", ID: 7, Profile: ofnet.Profile{Rate: 5000}})
				return s
			}
			want := many()
			r := bridge.NewReconciler("h0", pipeline.Default(), sw, quick)
			start(t, r)
			until(t, "a connection", r.Connected)
			if have := dump(); len(have.Flows) != 1 {
				t.Errorf("flows before the first Update: want only the stale one left, got %d", len(have.Flows))
			}
			r.Update(1, fill(many()))
			wait(t, r, 1)
			same(t, want, dump())

			// One endpoint is added, and another one removed.
			e := ofnettest.Endpoint(1000, 2000)
			want.Endpoints.Set(e.ID, e)
			want.Endpoints.Delete("t:n0:e3")
			r.Update(2, func(s *ofnet.State) {
				s.Endpoints.Set(e.ID, ofnettest.Endpoint(1000, 2000))
			})
			r.Update(3, func(s *ofnet.State) {
				s.Endpoints.Delete("t:n0:e3")
			})
			wait(t, r, 3)
			same(t, want, dump())
			if got := r.Revision(); got != 3 {
				t.Errorf("revision: want 3, got %d", got)
			}

			// Someone deletes flows, adds one and empties a flood group.
			have := dump()
			broken := have.Groups[0]
			broken.Buckets = flow.NewBuckets()
			tamper(flow.Delta{DelFlows: have.Flows[:5], AddFlows: []flow.Flow{stale}, ModGroups: []flow.Group{broken}})
			until(t, "the damage found", func() bool { return r.Counters().Drift >= 7 })
			until(t, "the damage repaired", func() bool {
				d := flow.Diff(compiled(want), dump())
				return d.Empty()
			})

			// The switch crashes and restarts empty.
			connections := r.Counters().Connections
			kill()
			until(t, "a new connection", func() bool { return r.Counters().Connections > connections && r.Connected() })
			r.Update(4, nil)
			wait(t, r, 4)
			same(t, want, dump())

			// A second Reconciler of the same State has nothing to do.
			second := bridge.NewReconciler("h0", pipeline.Default(), sw, bridge.Options{})
			start(t, second)
			second.Update(1, fill(want))
			wait(t, second, 1)
			if c := second.Counters(); c.FlowMods != 0 || c.Bundles != 0 {
				t.Errorf("changes after a restart: want none, got %+v", c)
			}
			flows, err := second.Flows(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range flows {
				if f.Owner == (ofnet.Key{}) {
					t.Errorf("owner: want one for every flow, got none for %s", f.Flow)
				}
			}
			if st, ok := second.Owner(endpointKey(e.ID)[0]); !ok || st.Phase != bridge.Done || st.Flows == 0 {
				t.Errorf("status of %s: want done with flows, got %+v", e.ID, st)
			}
			if sum := second.Summary(); sum.Pending != 0 || sum.Failed != 0 || !sum.Connected || sum.Flows != len(flows) {
				t.Errorf("summary: want everything done, got %+v", sum)
			}
		})
	}
}

// A stopped switch counts as not connected, and nothing is read from it; when it continues, the Reconciler continues too.
func TestSwitchPauses(t *testing.T) {
	f := bridge.NewFake()
	r := bridge.NewReconciler("h0", pipeline.Default(), f, quick)
	if got := r.Unanswered(); got != 0 {
		t.Errorf("before Run: want 0, got %v", got)
	}
	start(t, r)
	s := ofnettest.Many(3, 3)
	r.Update(1, fill(s))
	wait(t, r, 1)
	f.Pause()
	if r.Connected() || r.Summary().Connected || r.Unanswered() == 0 {
		t.Errorf("while it pauses: want it not connected, got %v, %+v, %v", r.Connected(), r.Summary(), r.Unanswered())
	}
	if _, err := r.Flows(t.Context()); err != bridge.ErrSilent {
		t.Errorf("flows: want ErrSilent, got %v", err)
	}
	if _, err := r.Check(t.Context()); err != bridge.ErrSilent {
		t.Errorf("check: want ErrSilent, got %v", err)
	}
	if err := r.Repair(t.Context()); err != bridge.ErrSilent {
		t.Errorf("repair: want ErrSilent, got %v", err)
	}
	e := ofnettest.Endpoint(1000, 2000)
	r.Update(2, func(s *ofnet.State) {
		s.Endpoints.Set(e.ID, e)
	})
	f.Cut() // as the connection ends after a longer pause
	until(t, "the loss reported", func() bool { return r.Unanswered() > time.Second })
	f.Resume()
	wait(t, r, 2)
	s.Endpoints.Set(e.ID, e)
	same(t, s, f.Set())
	if !r.Connected() || r.Unanswered() != 0 {
		t.Errorf("afterwards: want it connected, got %v, %v", r.Connected(), r.Unanswered())
	}
}

func TestSwitchComesLate(t *testing.T) {
	f := bridge.NewFake()
	f.Stop()
	r := bridge.NewReconciler("h0", pipeline.Default(), f, quick)
	start(t, r)
	r.Update(5, fill(ofnettest.Many(3, 3)))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := r.Wait(ctx, 5); err == nil || !strings.Contains(err.Error(), "not yet at 5") {
		t.Errorf("wait without a switch: want an error that names the revision, got %v", err)
	}
	if _, err := r.Flows(context.Background()); err != bridge.ErrNotConnected {
		t.Errorf("flows without a switch: want ErrNotConnected, got %v", err)
	}
	f.Start()
	wait(t, r, 5)
	same(t, ofnettest.Many(3, 3), f.Set())
}

// TestRefusedOwner has a switch that refuses one endpoint's flows: the flows of all others are set, the endpoint is reported with the reason,
// and its flows are set as soon as the switch accepts them.
func TestRefusedOwner(t *testing.T) {
	f := bridge.NewFake()
	bad := ofnettest.Endpoint(4, 200)
	f.Refuse(func(fl flow.Flow) string {
		if port, ok := fl.Match.Uint(flow.InPort); ok && port == uint64(bad.Port) {
			return "OFPFMFC_TABLE_FULL"
		}
		return ""
	})
	r := bridge.NewReconciler("h0", pipeline.Default(), f, quick)
	start(t, r)
	s := ofnettest.Many(10, 0)
	r.Update(1, fill(s))
	wait(t, r, 1)
	st, _ := r.Owner(endpointKey(bad.ID)[0])
	if st.Phase != bridge.Failed || !strings.Contains(st.Err, "OFPFMFC_TABLE_FULL") {
		t.Errorf("refused owner: want an error with the reason, got %+v", st)
	}
	if sum := r.Summary(); sum.Failed != 1 || sum.Pending != 0 {
		t.Errorf("summary: want one failed and none pending, got %+v", sum)
	}
	others := ofnettest.Many(10, 0)
	all := compiled(others)
	mine := flow.Owner(endpointKey(bad.ID)[0])
	wanted := flow.Set{Groups: all.Groups, Meters: all.Meters}
	for _, fl := range all.Flows {
		if fl.Cookie.Owner() != mine {
			wanted.Add(fl)
		}
	}
	if d := flow.Diff(wanted, f.Set()); !d.Empty() {
		t.Errorf("switch: want everything but the refused owner's, got these differences\n%s", d.String())
	}
	f.Refuse(nil)
	until(t, "the owner served", func() bool {
		st, _ := r.Owner(endpointKey(bad.ID)[0])
		return st.Phase == bridge.Done
	})
	same(t, others, f.Set())
}

// compiler is a Compiler with the flows of each owner.
type compiler map[ofnet.Key]flow.Set

func (c compiler) Owners(*ofnet.State) (out []ofnet.Key) {
	for k := range c {
		out = append(out, k)
	}
	return out
}
func (c compiler) Compile(_ *ofnet.State, k ofnet.Key) flow.Set { return c[k] }
func (c compiler) Affected(_, _ *ofnet.State, to func(ofnet.Key)) {
	for k := range c {
		to(k)
	}
}

func nothing(*ofnet.State)        {}
func owned(name string) ofnet.Key { return ofnet.Key{Kind: ofnet.KindGroup, Name: name} }
func gotoFlow(port uint64, t flow.TableID, priority uint16) flow.Flow {
	return flow.New(0, priority, flow.NewMatch(flow.Eq(flow.InPort, port)), flow.Do(flow.GotoTable(t)))
}

// TestOVSNamesTheCulprit has a real switch refuse a flow in a bundle of many.
func TestOVSNamesTheCulprit(t *testing.T) {
	o, sw := newOVS(t)
	c := compiler{}
	for i := range 20 {
		c[owned(fmt.Sprint(i))] = flow.Set{Flows: []flow.Flow{gotoFlow(uint64(i+1), 2, 5)}}
	}
	// The original direction of a connection can be matched only where there is a connection.
	bad := flow.New(0, 9, flow.NewMatch(flow.Eq(flow.CTNwDst, 1)), flow.Actions{})
	c[owned("bad")] = flow.Set{Flows: []flow.Flow{gotoFlow(99, 2, 5), bad}}
	c[owned("lost")] = flow.Set{Flows: []flow.Flow{flow.New(0, 9, flow.Match{}, flow.Do(flow.ToGroup(123)))}}
	r := bridge.NewReconciler("h0", c, sw, bridge.Options{RetryFirst: time.Hour, MaxRetry: time.Hour})
	start(t, r)
	r.Update(1, nothing)
	wait(t, r, 1)
	for _, row := range []struct{ owner, want string }{
		{"bad", "OFPBMC_BAD_PREREQ"},
		{"lost", "OFPBAC_BAD_OUT_GROUP"},
	} {
		if st, _ := r.Owner(owned(row.owner)); st.Phase != bridge.Failed || !strings.Contains(st.Err, row.want) {
			t.Errorf("owner %s: want refused for %s, got %+v", row.owner, row.want, st)
		}
	}
	if sum := r.Summary(); sum.Failed != 2 || sum.Pending != 0 {
		t.Errorf("summary: want two failed, got %+v", sum)
	}
	if list := o.Ofctl("dump-flows", "br0"); strings.Count(list, "actions=") != 20 {
		t.Errorf("flows in the switch: want the 20 good ones, got\n%s", list)
	}
}

// TestRivals has two owners with a flow of the same match: the smaller owner's is set, the other owner's is reported, and set later.
func TestRivals(t *testing.T) {
	f := bridge.NewFake()
	a, b := owned("a"), owned("b")
	c := compiler{
		b: flow.Set{Flows: []flow.Flow{gotoFlow(1, 4, 5)}},
		a: flow.Set{Flows: []flow.Flow{gotoFlow(1, 2, 5)}},
	}
	r := bridge.NewReconciler("h0", c, f, quick)
	start(t, r)
	r.Update(1, nothing)
	wait(t, r, 1)
	if got, want := f.Set().Flows[0].Actions.String(), "goto_table:2"; got != want {
		t.Errorf("contested place: want the smaller owner's %s, got %s", want, got)
	}
	if st, _ := r.Owner(b); st.Phase != bridge.Failed {
		t.Errorf("the other owner: want an error, got %+v", st)
	}
	r.Update(2, func(*ofnet.State) { c[a] = flow.Set{} })
	wait(t, r, 2)
	if got, want := f.Set().Flows[0].Actions.String(), "goto_table:4"; got != want {
		t.Errorf("place after its owner has gone: want %s, got %s", want, got)
	}
	if st, _ := r.Owner(b); st.Phase != bridge.Done {
		t.Errorf("the other owner: want done, got %+v", st)
	}
	if _, ok := r.Owner(a); ok {
		t.Error("owner that has gone: want it struck off, got it")
	}
}

func TestMetersAndChains(t *testing.T) {
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			sw, dump, _, _ := w.open(t)
			part := flow.Group{ID: 0x40000001, Buckets: flow.NewBuckets(flow.Bucket{Actions: flow.Do(flow.Output(1))})}
			whole := flow.Group{ID: 1, Buckets: flow.NewBuckets(flow.Bucket{Actions: flow.Do(flow.ToGroup(part.ID))})}
			meter := flow.Meter{ID: 7, Rate: 1000, Burst: 100}
			want := flow.Set{
				Flows:  []flow.Flow{flow.New(0, 5, flow.Match{}, flow.Do(flow.ToMeter(7), flow.ToGroup(1)))},
				Groups: []flow.Group{whole, part},
				Meters: []flow.Meter{meter},
			}
			k := owned("all")
			c := compiler{k: want}
			r := bridge.NewReconciler("h0", c, sw, bridge.Options{})
			start(t, r)
			r.Update(1, nothing)
			wait(t, r, 1)
			if d := flow.Diff(want, dump()); !d.Empty() {
				t.Errorf("switch: want all of it, got these differences\n%s", d.String())
			}
			meter.Rate = 2000
			want.Meters = []flow.Meter{meter}
			r.Update(2, func(*ofnet.State) { c[k] = want })
			wait(t, r, 2)
			if d := flow.Diff(want, dump()); !d.Empty() {
				t.Errorf("switch after a change of the meter: want all of it, got these differences\n%s", d.String())
			}
			r.Update(3, func(*ofnet.State) { c[k] = flow.Set{} })
			wait(t, r, 3)
			if d := flow.Diff(flow.Set{}, dump()); !d.Empty() {
				t.Errorf("switch in the end: want nothing, got\n%s", d.String())
			}
		})
	}
}

// TestMeterLeftAndGone sets a meter that the switch already has, and one that it has lost, before the reconciler lists the meters.
func TestMeterLeftAndGone(t *testing.T) {
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			_, dump, tamper, _ := w.open(t)
			tamper(flow.Delta{AddMeters: []flow.Meter{{ID: 7, Rate: 1, Burst: 1}}})
			want := flow.Set{Meters: []flow.Meter{{ID: 7, Rate: 1000, Burst: 100}, {ID: 8, Rate: 1000, Burst: 100}, {ID: 9, Rate: 1000, Burst: 100}}}
			tamper(flow.Delta{AddMeters: want.Meters[:2], ModMeters: want.Meters[2:]})
			if d := flow.Diff(want, dump()); !d.Empty() {
				t.Errorf("the switch's meters: want all three, got these differences\n%s", d.String())
			}
		})
	}
}

func TestPorts(t *testing.T) {
	o, sw := newOVS(t)
	o.Vsctl("add-port", "br0", "p1", "--", "set", "interface", "p1", "type=internal", "ofport_request=17")
	o.IP("link", "set", "p1", "up")
	r := bridge.NewReconciler("h0", pipeline.Default(), sw, bridge.Options{})
	start(t, r)
	until(t, "the port up", func() bool {
		ports, err := r.Ports(context.Background())
		return err == nil && len(ports) == 2 && ports[0].Number == 17 && ports[0].Name == "p1" && ports[0].Up
	})
}
