package bridge_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// hundredThousand is a State that compiles to about 100,000 flows.
func hundredThousand() *ofnet.State { return ofnettest.Many(2000, 18000) }

// fill is the change that brings a whole State.
func fill(from *ofnet.State) func(*ofnet.State) []ofnet.Key {
	return func(s *ofnet.State) []ofnet.Key {
		s.Local, s.Hosts, s.Tenants, s.Segments, s.Groups, s.Endpoints = from.Local, from.Hosts, from.Tenants, from.Segments, from.Groups, from.Endpoints
		return nil
	}
}

// start runs a Reconciler until the test ends.
func start(tb testing.TB, r *bridge.Reconciler) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := r.Run(ctx); err != nil {
			tb.Errorf("run: %v", err)
		}
	}()
	tb.Cleanup(func() {
		cancel()
		<-done
	})
}

// wait waits for a revision, for at most a minute.
func wait(tb testing.TB, r *bridge.Reconciler, rev uint64) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := r.Wait(ctx, rev); err != nil {
		tb.Fatalf("wait: %v\n%+v", err, r.Summary())
	}
}

func newOVS(tb testing.TB) (o *ovstest.OVS, sw *bridge.OpenFlow) {
	tb.Helper()
	o = ovstest.Start(tb)
	o.Bridge("br0")
	return o, bridge.NewOpenFlow(o.Mgmt("br0"), openflow.Options{})
}

// ofctl runs ovs-ofctl on br0 and returns how long that took.
func ofctl(tb testing.TB, o *ovstest.OVS, args ...string) time.Duration {
	tb.Helper()
	cmd := exec.Command("ovs-ofctl", append([]string{"-OOpenFlow13"}, args...)...)
	cmd.Env = append(os.Environ(), "OVS_RUNDIR="+o.Dir)
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("ovs-ofctl %s: %v\n%s", args[0], err, out)
	}
	return time.Since(begin)
}

// flowFile writes all flows of a State as ovs-ofctl reads them, and installs the groups that they need.
func flowFile(tb testing.TB, o *ovstest.OVS, s *ofnet.State) (path string, flows int) {
	tb.Helper()
	all := pipeline.Default().CompileAll(s)
	var text strings.Builder
	for _, f := range all.Flows {
		fmt.Fprintln(&text, f)
	}
	path = filepath.Join(tb.TempDir(), "flows")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	addGroups(tb, o, all)
	return path, len(all.Flows)
}

func addGroups(tb testing.TB, o *ovstest.OVS, s flow.Set) {
	tb.Helper()
	var text strings.Builder
	for _, g := range s.Groups {
		fmt.Fprintln(&text, g)
	}
	path := filepath.Join(tb.TempDir(), "groups")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	ofctl(tb, o, "add-groups", "unix:"+o.Mgmt("br0"), path)
}

// BenchmarkProgram compiles, compares and programs 100,000 flows, against ovs-ofctl doing its part of that with the
// same flows ready in a file.
func BenchmarkProgram(b *testing.B) {
	s := hundredThousand()
	o, sw := newOVS(b)
	path, flows := flowFile(b, o, s)
	var theirs, ours time.Duration
	for b.Loop() {
		b.StopTimer()
		ofctl(b, o, "del-flows", "unix:"+o.Mgmt("br0"))
		theirs += ofctl(b, o, "--bundle", "add-flows", "unix:"+o.Mgmt("br0"), path)
		ofctl(b, o, "del-flows", "unix:"+o.Mgmt("br0"))
		r := bridge.NewReconciler("h0", pipeline.Default(), sw, bridge.Options{})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		b.StartTimer()
		begin := time.Now()
		go func() { done <- r.Run(ctx) }()
		r.Update(1, fill(s))
		wait(b, r, 1)
		ours += time.Since(begin)
		b.StopTimer()
		cancel()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	n := float64(b.N)
	b.ReportMetric(float64(flows), "flows")
	b.ReportMetric(ours.Seconds()/n*1000, "ours-ms")
	b.ReportMetric(theirs.Seconds()/n*1000, "ofctl-ms")
	b.ReportMetric(ours.Seconds()/theirs.Seconds(), "ratio")
}

// BenchmarkUnchanged connects to a switch that has everything already, against ovs-ofctl replace-flows.
func BenchmarkUnchanged(b *testing.B) {
	s := hundredThousand()
	o, sw := newOVS(b)
	path, flows := flowFile(b, o, s)
	ofctl(b, o, "--bundle", "add-flows", "unix:"+o.Mgmt("br0"), path)
	var theirs, ours time.Duration
	for b.Loop() {
		b.StopTimer()
		theirs += ofctl(b, o, "replace-flows", "unix:"+o.Mgmt("br0"), path)
		r := bridge.NewReconciler("h0", pipeline.Default(), sw, bridge.Options{})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		b.StartTimer()
		begin := time.Now()
		go func() { done <- r.Run(ctx) }()
		r.Update(1, fill(s))
		wait(b, r, 1)
		ours += time.Since(begin)
		b.StopTimer()
		if c := r.Counters(); c.FlowMods != 0 {
			b.Fatalf("changes sent: want 0, got %d", c.FlowMods)
		}
		cancel()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	n := float64(b.N)
	b.ReportMetric(float64(flows), "flows")
	b.ReportMetric(ours.Seconds()/n*1000, "ours-ms")
	b.ReportMetric(theirs.Seconds()/n*1000, "ofctl-ms")
	b.ReportMetric(ours.Seconds()/theirs.Seconds(), "ratio")
}

// BenchmarkOneEndpoint adds and removes one local endpoint among many, up to the barrier each time.
func BenchmarkOneEndpoint(b *testing.B) {
	for _, others := range []int{1000, 10000} {
		b.Run(fmt.Sprint(others), func(b *testing.B) {
			_, sw := newOVS(b)
			s := ofnettest.Many(others/10, others-others/10)
			r := bridge.NewReconciler("h0", pipeline.Default(), sw, bridge.Options{})
			start(b, r)
			r.Update(1, fill(s))
			wait(b, r, 1)
			e := ofnettest.Endpoint(1<<20, 200)
			e.Segment = "n0.t"
			key := []ofnet.Key{{Kind: ofnet.KindEndpoint, Name: e.ID}}
			rev := uint64(1)
			for b.Loop() {
				rev++
				r.Update(rev, func(s *ofnet.State) []ofnet.Key {
					if rev%2 == 0 {
						s.Endpoints[e.ID] = e
					} else {
						delete(s.Endpoints, e.ID)
					}
					return key
				})
				wait(b, r, rev)
			}
		})
	}
}
