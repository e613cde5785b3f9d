// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

func TestWaysOf(t *testing.T) {
	var got []string
	for _, w := range pathsOf(ofnettest.Parse(t, "self h2"+threeHosts)) {
		got = append(got, w.name()+" "+w.Network)
	}
	want := "the tunnel to host h1 (192.168.251.1) \nthe tunnel to host h3 (192.168.251.3) \nVLAN 11 to host h3 blue:vl\nVLAN 11 to host h1 blue:vl"
	if strings.Join(got, "\n") != want {
		t.Errorf("want\n%s\ngot\n%s", want, strings.Join(got, "\n"))
	}
	if got := pathsOf(ofnettest.Parse(t, "self h4"+threeHosts)); len(got) != 0 {
		t.Errorf("a host that shares nothing: want no ways, got %v", got)
	}
}

// pass waits for a duration of the bubble's clock.
func pass(d time.Duration) { <-time.After(d) }

// A fault of a path is reported within half a minute, and no longer after its repair; a healthy path is not reported.
func TestFaults(t *testing.T) {
	between := func(a, b string, h hop) bool { return h.from == a && h.to == b || h.from == b && h.to == a }
	random := rand.New(rand.NewPCG(1, 2))
	for name, row := range map[string]struct {
		fault func(u *underlay)
		drops func(h hop) bool
		want  map[string]string // findings of each host, a regular expression; "": none
	}{
		"healthy": {want: map[string]string{"h1": "", "h2": "", "h3": ""}},
		"blocked": {drops: func(h hop) bool { return !h.vlan && between("h1", "h2", h) }, want: map[string]string{
			"h1": `^error tunnel-blocked host/h2: none of the last \d+ probes in the tunnel to host h2 .192.168.251.2. has come back, for \d+s, while its control address answers\. let UDP port 4789 pass between hosts h1 and h2.*$`,
			"h2": "^error tunnel-blocked host/h1:.*$", "h3": ""}},
		"blocked in one direction": {drops: func(h hop) bool { return !h.vlan && h.from == "h1" && h.to == "h2" }, want: map[string]string{
			"h1": "tunnel-blocked host/h2: .*packets of host h2 arrive here, so it is the way there that is blocked", "h2": "tunnel-blocked host/h1: [^;]*$", "h3": ""}},
		"loss": {drops: func(h hop) bool { return !h.vlan && between("h1", "h2", h) && random.IntN(100) < 5 }, want: map[string]string{
			"h1": `^error tunnel-loss host/h2: \d+ of \d+ probes \(\d+\.\d %\) on the tunnel to host h2 .* were lost within \d+s; of those .*; round trip 400µs\..*$`, "h2": "^error tunnel-loss host/h1: .*$", "h3": ""}},
		"loss in one direction": {drops: func(h hop) bool { return !h.vlan && h.from == "h2" && h.to == "h1" && random.IntN(100) < 20 }, want: map[string]string{
			"h1": `tunnel-loss host/h2: .* 0\.0 % on the way there and [1-9]\d*\.\d % on the way back`, "h2": `tunnel-loss host/h1: .* [1-9]\d*\.\d % on the way there and 0\.0 % on the way back`, "h3": ""}},
		"small MTU": {drops: func(h hop) bool { return !h.vlan && h.to == "h3" && h.size > 14+1400 }, want: map[string]string{
			"h1": `^error tunnel-mtu host/h3: packets of up to 1400 bytes pass on the tunnel to host h3 .*, larger ones are lost on the way there; containers send up to 1450\. .* MTU of 1500 bytes or more, .* one of 1450\..*$`,
			"h3": "tunnel-mtu host/h1: .*1400 bytes .*lost on the way back"}},
		"a very small MTU": {drops: func(h hop) bool { return !h.vlan && between("h1", "h2", h) && h.size > 700 }, want: map[string]string{
			"h1": `^error tunnel-mtu host/h2: packets of 1280 bytes are lost on .*, small ones pass`}},
		"a dead agent": {fault: func(u *underlay) { u.mute["h2"] = true }, want: map[string]string{"h1": "", "h3": ""}},
		"a dead host": {fault: func(u *underlay) { u.dead["h2"] = true }, want: map[string]string{
			"h1": `^unknown host-unreachable host/h2: none of the last .* and its control address is silent\..*$`, "h3": `^unknown host-unreachable host/h2: .*$`}},
		"a host that answers only on the trunk": {drops: func(h hop) bool { return !h.vlan && between("h1", "h2", h) }, fault: func(u *underlay) { u.mute["h2"], u.apart["h2"] = true, true }, want: map[string]string{
			"h1": `^error tunnel-blocked host/h2: none of the last \d+ probes in the tunnel .*, while its switch answers on the trunk\. let UDP port 4789 pass.*$`, "h3": ""}},
		"a hung switch of its own": {fault: func(u *underlay) { u.hung["h1"] = true }, want: map[string]string{"h1": "^unknown ways-unknown host/h1: .*$"}},
		"a switch that hands nothing with a tag to its agent": {fault: func(u *underlay) { u.tagless["h1"] = true }, want: map[string]string{
			"h1": `^unknown ways-unknown network/blue:vl: the switch of host h1 does not return the agent's own probes with VLAN 11, .* netctl drift h1$`, "h2": "", "h3": ""}},
		"a tag that one host lacks": {drops: func(h hop) bool { return h.vlan && (h.from == "h3" || h.to == "h3") }, want: map[string]string{
			"h1": `^error vlan-missing network/blue:vl: none of the last \d+ frames with VLAN 11 from the trunk of host h1 has come back from host h3, .*; other hosts answer\. let VLAN 11 pass at the port .* leads to host h3\..*$`,
			"h2": `^error vlan-missing network/blue:vl: .* back from host h3, .*$`,
			"h3": `^error vlan-missing network/blue:vl: .* back from hosts h1, h2, .*, nor from any other host\. .* leads to host h3\..*$`}},
		"loss on the trunk": {drops: func(h hop) bool { return h.vlan && (h.from == "h3" || h.to == "h3") && random.IntN(10) == 0 }, want: map[string]string{
			"h1": `^error vlan-loss network/blue:vl: .* VLAN 11 to host h3 were lost .*$`, "h3": `vlan-loss network/blue:vl: .*; the same with host h2`}},
		"small MTU of the trunk": {drops: func(h hop) bool { return h.vlan && h.to == "h2" && h.size > 14+1450 }, want: map[string]string{
			"h1": `^error vlan-mtu network/blue:vl: packets of up to 1450 bytes pass on VLAN 11 to host h2, larger ones are lost on the way there; containers send up to 1500\..*$`}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := newUnderlay(t, "h1", "h2", "h3")
				stop := u.run(t)
				defer stop()
				pass(20 * time.Second)
				if got := said(u.probers["h1"].Look(t.Context())); got != "" {
					t.Errorf("before: want nothing, got\n%s", got)
				}
				u.set(func() {
					if row.drops != nil {
						u.drops = row.drops
					}
					if row.fault != nil {
						row.fault(u)
					}
				})
				pass(30 * time.Second)
				for host, want := range row.want {
					got := said(u.probers[host].Look(t.Context()))
					if want == "" && got != "" || !regexp.MustCompile(want).MatchString(got) {
						t.Errorf("%s: want %q, got\n%s", host, want, got)
					}
				}
				u.set(func() {
					u.drops = func(hop) bool { return false }
					clear(u.dead)
					clear(u.mute)
					clear(u.apart)
					clear(u.hung)
					clear(u.tagless)
				})
				pass(90 * time.Second)
				for host, p := range u.probers {
					if got := said(p.Look(t.Context())); got != "" {
						t.Errorf("%s, after: want nothing, got\n%s", host, got)
					}
				}
			})
		})
	}
}

// A physical switch that has learned the address of a host's probes at another port, as when a cable was moved or frames were looped, learns the right one
// again: no VLAN is blamed for it.
func TestLearnedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnderlay(t, "h1", "h2", "h3")
		defer u.run(t)()
		pass(20 * time.Second)
		for range 30 {
			u.set(func() {
				for _, kind := range []pipeline.ProbeKind{pipeline.AskSwitch, pipeline.AskAgent, pipeline.ProbeBack} {
					u.learned[pipeline.ProbeMAC(kind, "h1", 0)], u.learned[pipeline.ProbeMAC(kind, "h2", 0)] = "h3", "h3"
				}
			})
			for range 10 {
				pass(time.Second)
				for host, p := range u.probers {
					if got := said(p.Look(t.Context())); strings.Contains(got, "vlan-missing") {
						t.Fatalf("%s: want no VLAN blamed, got\n%s", host, got)
					}
				}
			}
		}
		pass(90 * time.Second)
		for host, p := range u.probers {
			if got := said(p.Look(t.Context())); got != "" {
				t.Errorf("%s, after: want nothing, got\n%s", host, got)
			}
		}
	})
}

// A switch that stops, and accepts no frame until it runs again, is unknown meanwhile and healthy afterwards.
func TestSwitchAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnderlay(t, "h1", "h2", "h3")
		defer u.run(t)()
		pass(20 * time.Second)
		u.set(func() { u.hung["h1"] = true })
		pass(5 * time.Second)
		u.set(func() { u.away["h1"] = true })
		pass(5 * time.Second)
		if got := said(u.probers["h1"].Look(t.Context())); !strings.Contains(got, "ways-unknown host/h1") {
			t.Errorf("while the switch is away: want nothing known, got\n%s", got)
		}
		u.set(func() { clear(u.hung); clear(u.away) })
		pass(90 * time.Second)
		if got := said(u.probers["h1"].Look(t.Context())); got != "" {
			t.Errorf("after: want nothing, got\n%s", got)
		}
	})
}

// Counts of lost probes are dropped when the switch restarts, and a fault is found again with the restarted switch.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnderlay(t, "h1", "h2", "h3")
		defer u.run(t)()
		pass(20 * time.Second)
		u.set(func() { u.drops = func(h hop) bool { return h.vlan } })
		pass(30 * time.Second)
		p := u.probers["h1"]
		before := regexp.MustCompile(`none of the last (\d+) frames`).FindStringSubmatch(said(p.Look(t.Context())))
		p.Restart()
		if got := said(p.Look(t.Context())); got != "" || before == nil || len(before[1]) < 3 {
			t.Errorf("before: want some hundred frames lost, got %q; after: want nothing, got %q", before, got)
		}
		pass(10 * time.Second)
		if got := said(p.Look(t.Context())); !regexp.MustCompile(`^error vlan-missing network/blue:vl: none of the last \d{2,3} frames .*, for 1?\ds`).MatchString(got) {
			t.Errorf("later: want it found again, since a few seconds, got %q", got)
		}
	})
}

// A tunnel that is blocked now and then has no loss: the probes that were in progress as that began and ended belong to it.
func TestBlockedIsNoLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnderlay(t, "h1", "h2", "h3")
		defer u.run(t)()
		pass(20 * time.Second)
		for i := range 60 {
			blocked := i%2 == 0
			u.set(func() { u.drops = func(h hop) bool { return blocked && !h.vlan && (h.from == "h2" || h.to == "h2") } })
			for range 20 + i {
				pass(201 * time.Millisecond)
				if got := said(u.probers["h1"].Look(t.Context())); strings.Contains(got, "tunnel-loss") {
					t.Fatalf("change %d, blocked %v: want no loss, got\n%s", i, blocked, got)
				}
			}
		}
	})
}

// A host whose agent was replaced by one of another version, which may not support probes, is unknown, even if the previous agent answered.
// Once the new version has answered, missing answers are a fault.
func TestReplacedAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnderlay(t, "h1")
		defer u.run(t)()
		pass(time.Minute)
		silent := func(is bool) { u.set(func() { u.drops = func(h hop) bool { return is && h.to == "h2" } }) }
		u.set(func() { u.other = "0.9" })
		silent(true)
		pass(time.Minute)
		if got := said(u.probers["h1"].Look(t.Context())); !strings.HasPrefix(got, "unknown ways-unknown host/h2: host h2, whose agent has version 0.9,") || strings.Contains(got, "blocked") {
			t.Errorf("replaced: want nothing known of h2, got\n%s", got)
		}
		silent(false)
		pass(2 * time.Minute)
		silent(true)
		pass(time.Minute)
		if got := said(u.probers["h1"].Look(t.Context())); !strings.Contains(got, "error tunnel-blocked host/h2") {
			t.Errorf("it has answered: want its silence a fault, got\n%s", got)
		}
	})
}

// A host whose version may not support probes is not reported, unless it has answered before.
func TestOtherVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnderlay(t, "h1")
		u.other = "0.9"
		u.drops = func(h hop) bool { return h.to == "h2" }
		defer u.run(t)()
		pass(time.Minute)
		if got := said(u.probers["h1"].Look(t.Context())); !regexp.MustCompile(`^unknown ways-unknown host/h2: host h2, whose agent has version 0\.9, .*$`).MatchString(got) {
			t.Errorf("want nothing known of h2, got\n%s", got)
		}
		u.set(func() { u.drops = func(h hop) bool { return h.to == "h3" && !h.vlan } })
		pass(time.Minute)
		if got := said(u.probers["h1"].Look(t.Context())); !regexp.MustCompile(`^error tunnel-blocked host/h3: .*$`).MatchString(got) {
			t.Errorf("want h3 blocked, got\n%s", got)
		}
	})
}

// Ask returns the present findings immediately.
func TestAsk(t *testing.T) {
	for name, row := range map[string]struct {
		drops func(h hop) bool
		want  string
	}{
		"healthy":   {func(hop) bool { return false }, "^$"},
		"loss":      {every(15), "tunnel-loss host/h2: .*"},
		"small MTU": {func(h hop) bool { return !h.vlan && h.size > 1400 }, "tunnel-mtu host/h2: packets of up to 1386 bytes"},
		"one moment's loss, as when a switch's ports change": {within(100 * time.Millisecond), "^$"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := newUnderlay(t, "h1", "h2", "h3")
				u.drops = row.drops
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				began := time.Now()
				got := said(u.probers["h1"].Ask(ctx))
				if !regexp.MustCompile(row.want).MatchString(got) {
					t.Errorf("want %q, got\n%s", row.want, got)
				}
				if took := time.Since(began); took > 1700*time.Millisecond {
					t.Errorf("want an answer within 1.7 s, got one after %v", took)
				}
			})
		})
	}
}

// A switch that takes its time for each frame does not keep the answer.
func TestAskSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnderlay(t, "h1", "h2", "h3")
		u.pace = 50 * time.Millisecond
		began := time.Now()
		if got := said(u.probers["h1"].Ask(t.Context())); got != "" {
			t.Errorf("want no findings, got\n%s", got)
		}
		if took := time.Since(began); took > askedTime+2*u.pace {
			t.Errorf("want an answer within %v, got one after %v", askedTime, took)
		}
		pass(time.Second) // frames in flight arrive
	})
}

// every returns a filter that drops each nth frame in tunnels between h1 and h2.
func every(n int) func(hop) bool {
	seen := 0
	return func(h hop) bool {
		if !h.vlan && (h.from == "h2" || h.to == "h2") {
			seen++
		}
		return !h.vlan && seen%n == 0
	}
}

// within returns a filter that drops all frames for some time.
func within(d time.Duration) func(hop) bool {
	var end time.Time
	return func(hop) bool {
		if end.IsZero() {
			end = time.Now().Add(d)
		}
		return time.Now().Before(end)
	}
}

// A host sends a few probes a second for any number of paths, and only slightly more if all paths are broken.
func TestRate(t *testing.T) {
	for name, row := range map[string]struct {
		broken bool
		most   int // in a minute
	}{"healthy": {false, 60 * 12}, "all broken": {true, 60 * 150}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := newUnderlay(t, "h1")
				u.drops = func(hop) bool { return row.broken }
				defer u.run(t)()
				pass(time.Minute)
				u.mu.Lock()
				defer u.mu.Unlock()
				if got := u.sent["h1"]; got < 60*2 || got > row.most {
					t.Errorf("want between %d and %d frames in a minute, got %d", 60*2, row.most, got)
				}
			})
		})
	}
}
