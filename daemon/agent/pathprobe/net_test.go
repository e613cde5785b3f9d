// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// threeHosts share a VXLAN and a VLAN network; h4 shares nothing with h1.
const threeHosts = `
ports tunnel=1000 uplink=1001 host=1002
host h1 vtep=192.168.251.1 mac=02:aa:00:00:00:01
host h2 vtep=192.168.251.2 mac=02:aa:00:00:00:02
host h3 vtep=192.168.251.3 mac=02:aa:00:00:00:03
host h4 vtep=192.168.251.4 mac=02:aa:00:00:00:04
tenant blue id=1
tenant green id=2
network blue:vx id=101 vxlan=5001 bridge proxy net=10.1.0.0/24
network blue:vy id=102 vxlan=5002 bridge proxy net=10.2.0.0/24
network blue:vl id=103 vlan=11 bridge proxy net=10.3.0.0/24
network green:vx id=104 vxlan=5003 bridge proxy net=10.1.0.0/24
endpoint a1 network=blue:vx host=h1 port=1 mac=02:02:65:01:00:01 ip=10.1.0.1
endpoint a2 network=blue:vx host=h2 port=2 mac=02:02:65:01:00:02 ip=10.1.0.2
endpoint a3 network=blue:vy host=h3 port=3 mac=02:02:65:01:00:03 ip=10.2.0.3
endpoint b1 network=blue:vl host=h1 port=4 mac=02:02:66:01:00:01 ip=10.3.0.1
endpoint b2 network=blue:vl host=h2 port=5 mac=02:02:66:01:00:02 ip=10.3.0.2
endpoint b3 network=blue:vl host=h3 port=6 mac=02:02:66:01:00:03 ip=10.3.0.3
endpoint g4 network=green:vx host=h4 port=7 mac=02:02:67:01:00:04 ip=10.1.0.4
`

// hop is one frame from a host to another.
type hop struct {
	from, to string
	vlan     bool
	size     int
}

// underlay carries frames between the Probers of some hosts, as switches do that turn probes back.
type underlay struct {
	mu      sync.Mutex
	probers map[string]*Prober
	drops   func(h hop) bool
	pace    time.Duration        // that a switch takes for a frame
	dead    map[string]bool      // hosts that answer nothing
	mute    map[string]bool      // hosts whose agents do not run
	apart   map[string]bool      // hosts whose control addresses do not answer
	hung    map[string]bool      // hosts whose switches return nothing to their agents
	away    map[string]bool      // hosts whose switches take no frame of their agents
	tagless map[string]bool      // hosts whose switches hand nothing with a tag to their agents
	sent    map[string]int       // frames, by host
	learned map[ofnet.MAC]string // hosts to whose ports the physical switch of the trunk leads addresses; of others, to all
	other   string               // version of the others' agents; "": that of each other's
}

func newUnderlay(t *testing.T, hosts ...string) *underlay {
	u := &underlay{probers: map[string]*Prober{}, dead: map[string]bool{}, mute: map[string]bool{}, apart: map[string]bool{}, hung: map[string]bool{}, away: map[string]bool{}, tagless: map[string]bool{}, sent: map[string]int{}, learned: map[ofnet.MAC]string{}, drops: func(hop) bool { return false }}
	for _, host := range hosts {
		s := ofnettest.Parse(t, "self "+host+threeHosts)
		u.probers[host] = New(Options{Host: host, Port: 4789, Overhead: 50, View: func(fn func(*ofnet.State)) { fn(s) }, Log: slog.New(slog.DiscardHandler),
			Room: func(w Path) int {
				if w.Network == "" {
					return 1450
				}
				return 1500
			},
			Send: func(w Path, b []byte) error {
				if u.is(u.away, host) {
					return errors.New("no connection to the switch")
				}
				u.carry(s, host, w, b)
				return nil
			},
			Self: func(w Path, b []byte) error {
				if u.is(u.hung, host) || w.Network != "" && u.is(u.tagless, host) {
					return nil
				}
				u.probers[host].Receive(Origin{Segment: w.segment}, b)
				return nil
			},
			Other: func(string) string { return u.version() },
			Alive: func(_ context.Context, other string) Liveness {
				if u.is(u.dead, other) || u.is(u.apart, other) {
					return Liveness{Text: "its control address is silent"}
				}
				return Liveness{Alive: true, Text: "its control address answers", Other: u.version()}
			}})
	}
	return u
}

func (u *underlay) is(set map[string]bool, host string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return set[host]
}

// version is that of the others' agents.
func (u *underlay) version() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.other
}

func (u *underlay) set(change func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	change()
}

// trip is how long a frame takes.
const trip = 200 * time.Microsecond

// carry brings a frame to the host that its destination names, of all that hear it.
func (u *underlay) carry(s *ofnet.State, from string, w Path, b []byte) {
	pass(u.pace)
	u.mu.Lock()
	u.sent[from]++
	only := ""
	if w.Network != "" {
		u.learned[ofnet.MAC(b[6:12])] = from
		only = u.learned[ofnet.MAC(b[:6])]
	}
	u.mu.Unlock()
	for _, to := range []string{"h1", "h2", "h3", "h4"} {
		for _, kind := range []pipeline.ProbeKind{pipeline.AskSwitch, pipeline.AskAgent, pipeline.ProbeBack} {
			mac := pipeline.ProbeMAC(kind, to, 0)
			if got := ofnet.MAC(b[:6]); got != mac && (kind != pipeline.ProbeBack || [5]byte(got[:5]) != [5]byte(mac[:5])) {
				continue
			}
			if w.Network == "" && s.Hosts.Get(to).VTEP != w.End || only != "" && only != to {
				continue
			}
			time.AfterFunc(trip, func() { u.deliver(s, kind, hop{from, to, w.Network != "", len(b)}, w, b) })
		}
	}
}

func (u *underlay) deliver(s *ofnet.State, kind pipeline.ProbeKind, h hop, w Path, b []byte) {
	u.mu.Lock()
	lost := u.drops(h) || u.hung[h.from] || u.hung[h.to] || u.dead[h.to] || h.vlan && u.tagless[h.to] && kind != pipeline.AskSwitch
	p, mute := u.probers[h.to], u.mute[h.to]
	u.mu.Unlock()
	origin, back := Origin{Segment: w.segment}, Path{Network: w.Network, Tag: w.Tag, segment: w.segment}
	if w.Network == "" {
		origin, back = Origin{End: s.Hosts.Get(h.from).VTEP}, Path{Host: h.from, End: s.Hosts.Get(h.from).VTEP}
	}
	switch {
	case lost:
	case kind == pipeline.AskSwitch:
		probe, err := frame.ParseProbe(b)
		if err != nil {
			panic(err)
		}
		probe.EthSrc, probe.EthDst = probe.EthDst, probe.EthSrc
		u.carry(s, h.to, back, probe.Append(nil))
	case p != nil && !mute:
		p.Receive(origin, b)
	}
}

// run has the Probers work for some time, and ends them when the test does.
func (u *underlay) run(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for _, p := range u.probers {
		wait.Go(func() {
			if err := p.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	return func() {
		cancel()
		wait.Wait()
	}
}

// said is a list of findings in lines.
func said(list []model.Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s %s %s: %s. %s. %s", f.Severity, f.Code, f.Object, f.Evidence, f.Remedy, f.Next))
	}
	return strings.Join(out, "\n")
}
