// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// attached is an attacher: it keeps the attachments, and refuses to release those in use.
type attached struct {
	list  []attach.Attachment
	bare  []record.Endpoint // without a port
	inUse map[string]error  // by container; nil: a container may use it
	gone  []string
}

func (a *attached) List() []attach.Attachment { return slices.Clone(a.list) }

func (a *attached) Portless() []record.Endpoint { return slices.Clone(a.bare) }

func (a *attached) Forsake(_ context.Context, container, ifname, why string, seen bool) (bool, error) {
	if !seen {
		return false, errors.New("the fake engine is a part of this process, which sees itself")
	}
	if err, ok := a.inUse[container]; ok {
		return false, err
	}
	a.gone = append(a.gone, container+" "+ifname+": "+why)
	a.list = slices.DeleteFunc(a.list, func(x attach.Attachment) bool { return x.ContainerID == container })
	a.bare = slices.DeleteFunc(a.bare, func(x record.Endpoint) bool { return x.ContainerID == container })
	return true, nil
}

func (a *attached) add(owner, endpoint string) {
	a.list = append(a.list, attach.Attachment{ContainerID: endpoint, IfName: "eth0", Owner: owner, StateID: "default:net:" + endpoint})
}

// trial is an OrphanDetector whose clock the test sets.
type trial struct {
	*OrphanDetector
	t   *testing.T
	f   *fake
	a   *attached
	now time.Time
}

func newTrial(t *testing.T) *trial {
	f := newFake(t)
	f.change("", func() { f.networks["n1"] = &fakeNetwork{ID: "n1", Name: "net", Driver: "netplugin"} })
	w := NewWatcher(f.dial, slog.New(slog.DiscardHandler))
	w.pace = quick()
	x := &trial{t: t, f: f, a: &attached{inUse: map[string]error{}}, now: time.Unix(1000, 0)}
	x.OrphanDetector = NewOrphanDetector(w, x.a, "netplugin", slog.New(slog.DiscardHandler))
	x.OrphanDetector.now = func() time.Time { return x.now }
	return x
}

// after advances the clock and looks, and returns the number of endpoints released so far.
func (x *trial) after(d time.Duration) int {
	x.t.Helper()
	x.now = x.now.Add(d)
	e, err := x.f.dial()
	if err != nil {
		x.t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	_ = x.look(x.t.Context(), e)
	return len(x.a.gone)
}

func TestProver(t *testing.T) {
	const long = 31 * time.Second
	for name, row := range map[string]struct {
		do   func(x *trial) // between the first list without the endpoint and the second
		wait time.Duration
		want int // released after the second
		last int // and after two more
	}{
		"two lists":                 {func(*trial) {}, long, 1, 1},
		"too close":                 {func(*trial) {}, time.Second, 0, 1},
		"the engine errs":           {func(x *trial) { x.f.fail["GET /containers/json"] = http.StatusInternalServerError }, long, 0, 0},
		"networks cannot be listed": {func(x *trial) { x.f.fail["GET /networks"] = http.StatusInternalServerError }, long, 0, 0},
		"a network cannot be read":  {func(x *trial) { x.f.fail["GET /networks/n1"] = http.StatusInternalServerError }, long, 0, 0},
		"another engine":            {func(x *trial) { x.f.id = "ID2" }, long, 0, 1},
		"an engine without a name":  {func(x *trial) { x.f.id = "" }, long, 0, 0},
		"it is there after all":     {func(x *trial) { x.f.orphans["e1"] = "n1" }, long, 0, 0},
		"of a container":            {func(x *trial) { x.f.boxes["c"] = &box{id: "c", joined: map[string]join{"x": {"id", "e1", nil}}} }, long, 0, 0},
		"a container may use it":    {func(x *trial) { x.a.inUse["e1"] = nil }, long, 0, 0},
		"the master is away":        {func(x *trial) { x.a.inUse["e1"] = errors.New("no leader") }, long, 0, 0},
		"attached again in the meantime": {func(x *trial) {
			was := x.a.list
			x.a.list = nil
			x.after(time.Second)
			x.a.list = was
		}, long, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTrial(t)
			x.a.add("docker/n1", "e1")
			x.a.add("cni/podnet", "pod")
			if got := x.after(0); got != 0 {
				t.Fatal("one list is no proof")
			}
			x.f.change("", func() {})
			row.do(x)
			if got := x.after(row.wait); got != row.want {
				t.Errorf("after the second list: want %d released, got %q", row.want, x.a.gone)
			}
			x.after(long)
			if got := x.after(long); got != row.last {
				t.Errorf("at the end: want %d released, got %q", row.last, x.a.gone)
			}
			if len(x.a.list) != 2-row.last {
				t.Errorf("want CNI's left, got %+v", x.a.list)
			}
		})
	}
}

// An endpoint of which a crash has left only the record belongs to Docker if the record has a Docker network, and is released by the same
// proof.
func TestProverOfRecords(t *testing.T) {
	x := newTrial(t)
	of := func(endpoint, network string) record.Endpoint {
		return record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: "default", Name: "net"}, Endpoint: endpoint},
			ContainerID: endpoint, IfName: "eth0", DockerNetwork: network}
	}
	x.a.bare = []record.Endpoint{of("e1", "n1"), of("e2", "n1"), of("pod", "")}
	x.f.orphans["e2"] = "n1"
	if got := x.after(0); got != 0 {
		t.Fatal("one list is no proof")
	}
	if x.after(31 * time.Second); !slices.Equal(x.a.gone, []string{"e1 eth0: Docker engine ID1 has no such endpoint, by two complete lists"}) {
		t.Errorf("want only e1 released, got %q", x.a.gone)
	}
}

// The OrphanDetector looks when the engine appears, and releases an endpoint after the time between two lists.
func TestProverRuns(t *testing.T) {
	f := newFake(t)
	w := f.watch()
	a := &attached{inUse: map[string]error{}}
	a.add("docker/n1", "e1")
	p := NewOrphanDetector(w, a, "netplugin", slog.New(slog.DiscardHandler))
	p.apart = 20 * time.Millisecond
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	done := make(chan struct{})
	p.attach = ending{a, end}
	go func() { defer close(done); _ = p.Run(ctx) }()
	<-done
	if len(a.gone) != 1 {
		t.Errorf("want it released, got %q", a.gone)
	}
}

// ending is an attacher that ends the run at the first release.
type ending struct {
	*attached
	end func()
}

func (e ending) Forsake(ctx context.Context, container, ifname, why string, seen bool) (bool, error) {
	defer e.end()
	return e.attached.Forsake(ctx, container, ifname, why, seen)
}
