// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/api/types/network"
)

// is reports whether a watcher has exactly the running containers.
func (f *fake) is(w *Watcher) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := w.State()
	running := 0
	for _, b := range f.boxes {
		if !b.running || len(b.joined) == 0 {
			continue
		}
		running++
		c, ok := s.Containers[b.id]
		if !ok || c.Name != b.name || !maps.Equal(c.Labels, b.labels) || len(c.Interfaces) != len(b.joined) {
			return false
		}
		for _, i := range c.Interfaces {
			if j := b.joined[i.Name]; j.endpoint != i.Endpoint || j.network != i.Network {
				return false
			}
		}
	}
	return s.Complete && len(s.Containers) == running
}

// After starts, ends, renames, removals and disconnections in any order, with the engine stopped and started in between, the watcher has the
// engine's state.
func TestWatcherIsALevel(t *testing.T) {
	f := newFake(t)
	w := f.watch()
	r := rand.New(rand.NewPCG(17, uint64(time.Now().UnixNano())))
	for step := range 400 {
		id := fmt.Sprintf("%02d%062d", r.IntN(12), 0)
		b := f.boxes[id]
		switch r.IntN(9) {
		case 0, 1, 2:
			f.run(id, fmt.Sprintf("c%d", step), map[string]string{"step": fmt.Sprint(step)}, []string{"a", "b"}[:1+r.IntN(2)]...)
		case 3, 4:
			if b != nil && b.running {
				f.end(id)
			}
		case 5:
			if b != nil {
				f.change(containerEvent("rename", id), func() { b.name += "x" })
			}
		case 6:
			f.change(containerEvent("destroy", id), func() { delete(f.boxes, id) })
		case 7:
			if b != nil && b.running {
				f.change(`{"Type":"network","Action":"disconnect","Actor":{"ID":"id-a","Attributes":{"container":"`+id+`"}}}`, func() { delete(b.joined, "a") })
			}
		case 8:
			switch r.IntN(10) {
			case 0:
				f.stop()
				f.start()
			case 1: // events are lost with the connection
				f.server.CloseClientConnections()
			}
		}
		if step%20 == 0 {
			until(t, fmt.Sprintf("what runs after step %d", step), func() bool { return f.is(w) })
		}
	}
	until(t, "what runs", func() bool { return f.is(w) })
}

// A watcher keeps its containers while the engine is down, and reports the outage; an engine that does not answer counts as down.
func TestWatcherOfAnEngineThatIsAway(t *testing.T) {
	f := newFake(t)
	f.run("c1", "web", nil, "net")
	w := f.watch()
	until(t, "the container", func() bool { return f.is(w) })
	away := func() bool {
		s := w.State()
		_, has := w.Engine()
		return !s.Here && !has && s.Why != "" && !s.Complete && len(s.Containers) == 1
	}
	f.stop()
	until(t, "the engine away, its container known", away)
	if got := Status(w, nil); got.Here || got.Containers != nil || got.ID != "ID1" {
		t.Errorf("status: want the containers unknown, got %+v", got)
	}
	f.start()
	until(t, "the engine back", func() bool { return f.is(w) })
	silent := make(chan struct{})
	f.change("", func() { f.hang["HEAD /_ping"], f.hang["GET /info"] = silent, silent })
	until(t, "the silent engine away", away)
	if got := w.State().Why; got == "" {
		t.Error("want a reason")
	}
	f.change("", func() { clear(f.hang) })
	close(silent)
	until(t, "the engine back", func() bool { return f.is(w) })
}

// A container whose inspection does not answer for a while is inspected again, and delays no other.
func TestWatcherAsksAgain(t *testing.T) {
	f := newFake(t)
	f.change("", func() { f.fail["GET /containers/c1/json"] = http.StatusInternalServerError })
	w := f.watch()
	f.run("c1", "slow", nil, "net")
	f.run("c2", "quick", nil, "net")
	until(t, "the other container", func() bool { _, ok := w.State().Containers["c2"]; return ok })
	until(t, "an answer asked for again", func() bool { return f.called("GET /containers/c1/json") > 2 })
	if w.State().Complete {
		t.Error("a container is not known: want the state incomplete")
	}
	f.change("", func() { clear(f.fail) })
	until(t, "both", func() bool { return f.is(w) })
	before := f.called("GET /containers/c1/json")
	f.change(containerEvent("exec_create: sh", "c1"), func() {})
	f.change(containerEvent("start", "c2"), func() {})
	until(t, "the second container asked about", func() bool { return f.called("GET /containers/c2/json") > 1 })
	if got := f.called("GET /containers/c1/json"); got != before {
		t.Errorf("an event that says nothing: want no question, got %d", got-before)
	}
}

func TestEventOf(t *testing.T) {
	joined := events.Actor{ID: "n", Attributes: map[string]string{"container": "c"}}
	for _, r := range []struct {
		kind   events.Type
		action events.Action
		want   Event
		tells  bool
	}{
		{events.ContainerEventType, events.ActionStart, Event{Container: "n"}, true},
		{events.ContainerEventType, events.ActionDie, Event{Container: "n"}, true},
		{events.ContainerEventType, events.ActionExecStart, Event{}, false},
		{events.NetworkEventType, events.ActionConnect, Event{Container: "c", Joined: true}, true},
		{events.NetworkEventType, events.ActionDisconnect, Event{Container: "c", Joined: true, Network: true}, true},
		{events.NetworkEventType, events.ActionDestroy, Event{Network: true}, true},
		{events.NetworkEventType, events.ActionCreate, Event{Network: true}, true},
		{events.ImageEventType, events.ActionCreate, Event{}, false},
	} {
		if got, tells := eventOf(events.Message{Type: r.kind, Action: r.action, Actor: joined}); got != r.want || tells != r.tells {
			t.Errorf("%s %s: want %+v %v, got %+v %v", r.kind, r.action, r.want, r.tells, got, tells)
		}
	}
}

// Any answer of the API about a container or a network is decoded without a panic, and interfaces without an endpoint are ignored.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"Id":"c","Name":"/web","State":{"Running":true,"Pid":7},"Config":{"Labels":{"a":"b"}},"NetworkSettings":{"Networks":{"n":{"EndpointID":"e","Aliases":["x","web"],"DNSNames":["x"]},"none":null}}}`))
	f.Add([]byte(`{"Name":"n","Driver":"netplugin","IPAM":{"Config":[{"Subnet":"10.0.0.0/8","Gateway":"10.0.0.1"}]}}`))
	f.Add([]byte(`{"Type":"network","Action":"connect","Actor":{"Attributes":{"container":"c"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r container.InspectResponse
		if json.Unmarshal(text, &r) == nil {
			c := containerOf(&r)
			for _, i := range c.Interfaces {
				if i.Endpoint == "" || slices.Contains(i.Aliases, c.Name) || slices.Contains(i.Aliases, "") {
					t.Errorf("interface %+v of %q", i, c.Name)
				}
			}
		}
		var n network.Network
		if json.Unmarshal(text, &n) == nil {
			spec := networkOf(&n).Spec
			if got := spec.differs(&spec); got != "" {
				t.Errorf("a network differs from itself: %s", got)
			}
		}
		var m events.Message
		if json.Unmarshal(text, &m) == nil {
			if e, tells := eventOf(m); !tells && e != (Event{}) {
				t.Errorf("event %+v", e)
			}
		}
	})
}
