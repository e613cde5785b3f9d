// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"os"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
)

// A port without its interface is reported with its endpoint and the remedy, until the interface is back or the endpoint is gone.
func TestCutOff(t *testing.T) {
	w := newWorld()
	e := w.engine()
	r := request(t)
	if err := os.WriteFile(r.Netns, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	res, err := e.Attach(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	c, name := e.CutOff(), res.HostName
	told := func(when string, want int) {
		t.Helper()
		got, err := c.Differences()
		if err != nil || len(got) != want {
			t.Fatalf("%s: want %d differences, got %+v, %v", when, want, got, err)
		}
		for _, d := range got {
			if d.Owner != "endpoint/default:net:c1" || d.Thing != name || !strings.Contains(d.What, "removed: interface "+name+" of container c1") ||
				!strings.Contains(d.Remedy, "recreate the container or pod") {
				t.Errorf("%s: want endpoint, interface and remedy, got %+v", when, d)
			}
		}
	}
	told("as it was made", 0)
	whole := w.links[name]
	delete(w.links, name)
	told("without its interface", 1)
	if err := c.Repair(t.Context(), name); err != nil || len(w.ports) != 1 || len(w.endpoints) != 1 {
		t.Errorf("repair: want nothing done, got %v, %s", err, w)
	}
	told("after what cannot be repaired", 1)
	done := e.locks.work(name)
	told("while it is being attached", 0)
	done()
	w.links[name] = whole
	told("recreated", 0)
	w.links = map[string]link.Pair{}
	w.setUp(name, true)
	told("before Open vSwitch has seen it", 0)
	w.setUp(name, false)
	told("when it has", 1)
	if err := os.Remove(r.Netns); err != nil {
		t.Fatal(err)
	}
	told("a container that has ended", 0)
	if err := os.WriteFile(r.Netns, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	told("still there", 1)
	if err := e.Detach(t.Context(), "c1", "eth0"); err != nil {
		t.Fatal(err)
	}
	told("detached", 0)
}

// setUp makes Open vSwitch report a port with or without a link.
func (w *world) setUp(name string, up bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.ports[name]
	p.Up = up
	w.ports[name] = p
}
