// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

const state = `
self h1
host h1 vtep=192.168.0.1
host h2 vtep=192.168.0.2
tenant blue id=7
tenant quiet id=8
network blue:n id=300 vxlan=6000 bridge proxy net=10.1.1.0/24
group blue:web id=0x30001
group blue:db id=0x30002
rule shut group=blue:web in deny priority=1 proto=tcp
rule http group=blue:web in allow priority=9 proto=tcp ports=80
rule out group=blue:db out allow priority=9 proto=tcp ports=81
endpoint blue:n:web network=blue:n group=blue:web host=h1 port=1 mac=02:02:00:00:00:01 ip=10.1.1.1
endpoint blue:n:db network=blue:n group=blue:db host=h2 mac=02:02:00:00:00:02 ip=10.1.1.2
endpoint blue:n:own network=blue:n group=blue:db host=h1 port=2 mac=02:02:00:00:00:03 ip=10.1.1.3
endpoint blue:n:far network=blue:n group=blue:web host=h2 mac=02:02:00:00:00:04 ip=10.1.1.4
`

// world is an Observer with a clock and a tracker that the test sets.
type world struct {
	*Observer
	state *ofnet.State
	clock time.Time
	lines []string // of the tracker
	many  int      // connections that it says to have; 0: as many as lines
	err   error
}

func newWorld(t *testing.T) *world {
	w := &world{state: ofnettest.Parse(t, state), clock: time.Unix(1000, 0)}
	var view sync.Mutex // as of the reconciler: what is asked within View waits for its end
	locked := func() func() {
		if !view.TryLock() {
			t.Error("the reconciler is asked within View")
			return func() {}
		}
		return view.Unlock
	}
	w.Observer = New(Options{Host: "h1", Pipeline: pipeline.Default(), View: func(fn func(*ofnet.State)) { defer locked()(); fn(w.state) },
		Revision: func() uint64 { defer locked()(); return 1 },
		Called: func(endpoint string) string {
			defer locked()()
			return "lab-" + endpoint[strings.LastIndexByte(endpoint, ':')+1:]
		}, Rule: func(k ofnet.Key) string { return k.String() },
		Datapath: func() string { return "netdev" }, Now: func() time.Time { return w.clock }, Log: slog.New(slog.DiscardHandler),
		Control: func(_ context.Context, command string, args ...string) (string, error) {
			if command == "dpctl/ct-get-nconns" {
				if w.many > 0 {
					return fmt.Sprintln(w.many), nil
				}
				return "", &vswitchd.Refusal{Command: command, Reason: "Operation not supported"}
			}
			if !slices.Equal(args, []string{"-s", "netdev@ovs-netdev"}) {
				t.Errorf("asked for %q", args)
			}
			return strings.Join(w.lines, "\n"), w.err
		}})
	return w
}

// number returns the number of a rule for a group.
func (w *world) number(group, rule string) uint64 {
	for r := range w.state.AttachedRules() {
		if r.By.Group() == group && r.ID.Rule == rule {
			return uint64(uint32(flow.Owner(r.Key())))
		}
	}
	return 0
}

// tcp returns a connection as the tracker prints it.
func (w *world) tcp(from, to string, port int, mark uint32, out, in uint64, state string) string {
	return fmt.Sprintf("tcp,orig=(src=%s,dst=%s,sport=4000,dport=%d),reply=(src=%s,dst=%s,sport=%d,dport=4000),zone=7,mark=%d,labels=0x%x,protoinfo=(state=%s)",
		from, to, port, to, from, port, mark, in<<32|out, state)
}

// says returns the events of the ring from a number on, in short form.
func (w *world) says(from uint64) (out []string) {
	events, _, _, _ := w.ring.read(from, kept)
	for i := range events {
		e := &events[i]
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s:%d -> %s: %s", e.Verdict, e.From, e.Port, e.To, e.Why())))
	}
	return out
}

func TestConnections(t *testing.T) {
	w := newWorld(t)
	http, out := w.number("blue:web", "http"), w.number("blue:db", "out")
	w.state.SetClassPolicy(&ofnet.ClassPolicy{Name: "admits", Direction: ofnet.In, Rules: []ofnet.ClassRule{{Action: ofnet.Accept}}})
	admits := uint64(uint32(flow.Owner(ofnet.Key{Kind: ofnet.KindClassPolicy, Name: "admits"})))
	for _, step := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"what was there before is not opened now", []string{w.tcp("10.1.1.2", "10.1.1.1", 80, 5, 0, http, "ESTABLISHED"), w.tcp("10.1.1.3", "10.1.1.1", 80, 5, 0, http, "TIME_WAIT")}, nil},
		{"one ends, one is opened here, one to elsewhere is reported by the other host", []string{w.tcp("10.1.1.2", "10.1.1.1", 80, 5, 0, http, "TIME_WAIT"), w.tcp("10.1.1.3", "10.1.1.1", 80, 5, 0, http, "ESTABLISHED"),
			w.tcp("10.1.1.1", "10.1.1.4", 80, 5, 0, 0, "ESTABLISHED")},
			[]string{"closed lab-db (db) 10.1.1.2:80 -> lab-web (web) 10.1.1.1: rule blue:web:web:http", "opened lab-own (db) 10.1.1.3:80 -> lab-web (web) 10.1.1.1: rule blue:web:web:http"}},
		{"a rule here has let it out; nothing is reported twice", []string{w.tcp("10.1.1.3", "10.1.1.1", 80, 5, 0, http, "ESTABLISHED"), w.tcp("10.1.1.3", "10.1.1.4", 81, 5, out, 0, "SYN_SENT")},
			[]string{"opened lab-own (db) 10.1.1.3:81 -> lab-far (web) 10.1.1.4: rule blue:db:db:out"}},
		{"a policy admits what comes in", []string{w.tcp("10.1.1.3", "10.1.1.1", 80, 5, 0, http, "ESTABLISHED"), w.tcp("10.1.1.3", "10.1.1.4", 81, 5, out, 0, "SYN_SENT"),
			w.tcp("10.1.1.2", "10.1.1.1", 82, 5, 0, admits, "ESTABLISHED"), w.tcp("10.1.1.2", "10.1.1.1", 82, 5, 0, admits, "ESTABLISHED")},
			[]string{"opened lab-db (db) 10.1.1.2:82 -> lab-web (web) 10.1.1.1: classpolicy admits"}},
		{"it is closed", []string{w.tcp("10.1.1.3", "10.1.1.1", 80, 5, 0, http, "ESTABLISHED"), w.tcp("10.1.1.3", "10.1.1.4", 81, 5, out, 0, "SYN_SENT")},
			[]string{"closed lab-db (db) 10.1.1.2:82 -> lab-web (web) 10.1.1.1: classpolicy admits, after 1s"}},
		{"the rules have changed", []string{w.tcp("10.1.1.3", "10.1.1.1", 80, 0x80000006, 0, http, "ESTABLISHED"), w.tcp("10.1.1.3", "10.1.1.4", 81, 5, out, 0, "SYN_SENT")},
			[]string{"refused lab-own (db) 10.1.1.3:80 -> lab-web (web) 10.1.1.1: it was open when rules changed, and they refuse it now"}},
		{"and all is forgotten", nil, []string{"closed lab-own (db) 10.1.1.3:81 -> lab-far (web) 10.1.1.4: rule blue:db:db:out, after 4s"}},
	} {
		at := w.ring.end()
		w.lines = step.lines
		w.look(t.Context())
		w.clock = w.clock.Add(time.Second)
		got := w.says(at)
		slices.Sort(got)
		if !slices.Equal(got, step.want) {
			t.Errorf("%s: want %q, got %q", step.name, step.want, got)
		}
	}
}

// The reason of a failed look is recorded once, and the next look does not report connections that were opened meanwhile.
func TestTrackerAway(t *testing.T) {
	w := newWorld(t)
	w.look(t.Context())
	for name, hinder := range map[string]func(){
		"there is no switch": func() { w.err = errors.New("no such socket") },
		"it has too many":    func() { w.many = maxConnections + 1 },
		"it cannot be read":  func() { w.lines = []string{"nonsense"} },
	} {
		at := w.ring.end()
		hinder()
		w.look(t.Context())
		w.look(t.Context())
		if got := w.says(at); len(got) != 1 || !strings.HasPrefix(got[0], "unknown") || !strings.Contains(got[0], "opened and closed are not seen: ") {
			t.Errorf("%s: got %q", name, got)
		}
		w.err, w.many, w.lines = nil, 0, []string{w.tcp("10.1.1.2", "10.1.1.1", 80, 5, 0, 0, "ESTABLISHED")}
		w.look(t.Context())
		if got := w.says(at); len(got) != 1 {
			t.Errorf("%s: afterwards %q", name, got)
		}
	}
}

// ended returns a packet-in of a TCP packet from one address to another, with these registers.
func ended(table flow.TableID, from, to string, port byte, terms ...flow.Term) packetin.Packet {
	b := append(make([]byte, 12), 8, 0, 0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0)
	b = append(append(b, netip.MustParseAddr(from).AsSlice()...), netip.MustParseAddr(to).AsSlice()...)
	return packetin.Packet{Table: table, Match: flow.NewMatch(append(terms, flow.Eq(flow.Reg0+2, 7))...), Frame: append(b, 0x9c, 0x40, 0, port)}
}

func TestPackets(t *testing.T) {
	const refuse, bridge, spoofed = 48, 32, 7
	w := newWorld(t)
	w.state.SetClassPolicy(&ofnet.ClassPolicy{Name: "both", Direction: ofnet.In, Rules: []ofnet.ClassRule{{Action: ofnet.Accept}, {Action: ofnet.Deny}}})
	both := flow.Eq(flow.Reg0+7, uint64(uint32(flow.Owner(ofnet.Key{Kind: ofnet.KindClassPolicy, Name: "both"}))))
	shut := flow.Eq(flow.Reg0+7, w.number("blue:web", "shut"))
	refused := ended(refuse, "10.1.1.2", "10.1.1.1", 22, shut)
	w.packet(t.Context(), refused)
	w.packet(t.Context(), refused)
	w.clock = w.clock.Add(again)
	w.packet(t.Context(), refused)
	w.packet(t.Context(), ended(refuse, "10.1.1.2", "10.1.1.1", 23, flow.Eq(flow.Reg0+7, 99)))
	w.packet(t.Context(), ended(refuse, "10.1.1.2", "10.1.1.1", 24, both))
	w.packet(t.Context(), ended(bridge, "10.1.1.1", "10.1.1.99", 80))
	for _, port := range []uint64{2, 1, 77} { // who says so is another one each time
		w.packet(t.Context(), ended(spoofed, "10.1.1.2", "10.1.1.1", 80, flow.Eq(flow.InPort, port)))
	}
	w.packet(t.Context(), ended(bridge, "10.1.1.1", "224.0.0.5", 80))
	w.packet(t.Context(), packetin.Packet{Table: bridge, Frame: []byte("no packet")})
	want := []string{"refused lab-db (db) 10.1.1.2:22 -> lab-web (web) 10.1.1.1: rule blue:web:web:shut denies it, 2 packets",
		"refused lab-db (db) 10.1.1.2:22 -> lab-web (web) 10.1.1.1: rule blue:web:web:shut denies it",
		"refused lab-db (db) 10.1.1.2:23 -> lab-web (web) 10.1.1.1: a rule refuses it; which one is unknown",
		"refused lab-db (db) 10.1.1.2:24 -> lab-web (web) 10.1.1.1: classpolicy both denies it",
		"dropped lab-web (web) 10.1.1.1:80 -> 10.1.1.99: no endpoint on the network has the destination's Ethernet address",
		"dropped lab-own (db) 10.1.1.2:80 -> lab-web (web) 10.1.1.1: the container may not send from that address",
		"dropped lab-web (web) 10.1.1.2:80 -> lab-web (web) 10.1.1.1: the container may not send from that address",
		"dropped 10.1.1.2:80 -> lab-web (web) 10.1.1.1: the container may not send from that address"}
	if got := w.says(0); !slices.Equal(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
	for i := range 3 * maxReported { // however many there are, and memory has a bound
		w.packet(t.Context(), ended(bridge, "10.1.1.1", netip.AddrFrom4([4]byte{10, 2, byte(i >> 8), byte(i)}).String(), 80))
	}
	if len(w.reported) > maxReported || len(w.ring.events) != kept {
		t.Errorf("%d conversations and %d events are remembered", len(w.reported), len(w.ring.events))
	}
}

func TestRing(t *testing.T) {
	r := newRing(4)
	at := time.Unix(5, 0)
	for range 6 {
		r.add(model.Observed{Time: at})
	}
	r.again(1) // gone
	r.again(5)
	events, next, lost, more := r.read(0, 3)
	if len(events) != 3 || next != 5 || lost != 2 || events[0].Count+events[1].Count+events[2].Count != 0 || !events[1].Time.After(events[0].Time) {
		t.Errorf("got %+v, %d, %d", events, next, lost)
	}
	if events, next, lost, _ = r.read(next, 3); len(events) != 1 || next != 6 || lost != 0 || events[0].Count != 1 {
		t.Errorf("the rest: got %+v, %d, %d", events, next, lost)
	}
	r.add(model.Observed{})
	select {
	case <-more:
	default:
		t.Error("no one learns that there is more")
	}
}

func TestStream(t *testing.T) {
	w := newWorld(t)
	read := func(ask model.Observe) (got []string) {
		err := w.Stream(t.Context(), ask, func(events []model.Observed) error {
			for i := range events {
				got = append(got, string(events[i].Verdict)+" "+events[i].Why())
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return got
	}
	const untracked = "unknown tenant quiet has no rules and no services: its connections are not tracked, so those that are opened and closed are not seen"
	w.clock = w.clock.Add(time.Minute)
	w.ring.add(model.Observed{Time: w.clock.Add(-30 * time.Second), Verdict: model.ObservedOpened, Tenant: "blue"})
	w.ring.add(model.Observed{Time: w.clock, Verdict: model.ObservedDropped, Tenant: "blue", Reason: "it is late"})
	for _, r := range []struct {
		ask  model.Observe
		want []string
	}{
		{model.Observe{Since: 10 * time.Second}, []string{untracked, "dropped it is late"}},
		{model.Observe{Since: time.Minute, Tenant: "blue"}, []string{"opened ", "dropped it is late"}},
		{model.Observe{Since: time.Hour, Tenant: "blue", Denied: true}, []string{"unknown the agent began to observe at 1970-01-01T00:16:40Z: what was before is unknown", "dropped it is late"}},
	} {
		if got := read(r.ask); !slices.Equal(got, r.want) {
			t.Errorf("%+v: want %q, got %q", r.ask, r.want, got)
		}
	}
	for range kept + 10 {
		w.ring.add(model.Observed{Time: w.clock, Verdict: model.ObservedOpened, Tenant: "blue"})
	}
	if got := read(model.Observe{Since: time.Minute, Tenant: "blue"}); len(got) != kept+1 || !strings.HasPrefix(got[0], "unknown what was before is overwritten") {
		t.Errorf("a full ring: got %d events, the first %q", len(got), got[0])
	}
	// A slow reader gets the number of lost events.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var first []string
	err := w.Stream(ctx, model.Observe{Follow: true, Tenant: "blue"}, func(events []model.Observed) error {
		if len(events) == 0 && len(first) == 0 { // it reads nothing for a while
			for range kept + 7 {
				w.ring.add(model.Observed{Time: w.clock, Verdict: model.ObservedOpened, Tenant: "blue"})
			}
		}
		for i := range events {
			first = append(first, string(events[i].Verdict)+" "+events[i].Why())
		}
		if len(first) > 1 {
			return errors.New("enough")
		}
		return nil
	})
	if err == nil || len(first) == 0 || first[0] != "unknown 7 events were overwritten before they were read" {
		t.Errorf("a slow reader: got %q, %v", first[:min(2, len(first))], err)
	}
}
