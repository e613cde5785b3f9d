// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

const hosts = `
self h1
ports tunnel=1000 uplink=1001 host=1002 backup=1003
host h1 vtep=192.168.251.1 mac=02:aa:00:00:00:01
host h2 vtep=192.168.251.2 mac=02:aa:00:00:00:02
tenant blue id=1
network blue:vl id=103 vlan=11 bridge proxy net=10.3.0.0/24 net6=fd03::/64
network blue:rv id=106 vlan=15 routing proxy net=10.5.0.0/24
endpoint b1 network=blue:vl host=h1 port=4 mac=02:02:66:01:00:01 ip=10.3.0.1 ip6=fd03::1
endpoint b2 network=blue:vl host=h2 mac=02:02:66:01:00:02 ip=10.3.0.2
endpoint e1 network=blue:rv host=h1 port=5 mac=02:02:6a:01:00:01 ip=10.5.0.1
`

var (
	own      = ofnet.MAC{2, 2, 0x66, 1, 0, 1}
	up       = ofnet.MAC{2, 0xaa, 0, 0, 0, 1}
	stranger = ofnet.MAC{0x52, 0x54, 0, 1, 2, 3}
)

func words(list []model.Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s %s %s: %s. %s. %s", f.Severity, f.Code, f.Object, f.Evidence, f.Remedy, f.Next))
	}
	return strings.Join(out, "\n")
}

func TestClaims(t *testing.T) {
	a := netip.MustParseAddr
	for name, row := range map[string]struct {
		port, segment uint32
		frame         []byte
		want          string
	}{
		"an address": {1001, 103, frame.Announce(a("10.3.0.1"), stranger),
			`^error address-conflict endpoint/b1: 10\.3\.0\.1, which is at 02:02:66:01:00:01, is claimed by a machine with link address 52:54:00:01:02:03, behind eth1 \(port 1001\) with VLAN 11, 3 times within 3s, the last 1s ago\. .*\. netctl ip who 10\.3\.0\.1$`},
		"an address of IPv6":                {1001, 103, frame.Announce(a("fd03::1"), stranger), `^error address-conflict endpoint/b1: fd03::1, which .* 52:54:00:01:02:03, .*$`},
		"one of a routed network":           {1001, 106, frame.Announce(a("10.5.0.1"), stranger), `^error address-conflict endpoint/e1: 10\.5\.0\.1, which is at 02:aa:00:00:00:01, is claimed by .*$`},
		"a link address":                    {1001, 103, frame.Announce(a("10.3.0.77"), own), `^error address-conflict endpoint/b1: a machine with the container's link address 02:02:66:01:00:01 says to have the address 10\.3\.0\.77, .*$`},
		"what is so":                        {1001, 103, frame.Announce(a("10.3.0.1"), own), "^$"},
		"what is so, of a routed network":   {1001, 106, frame.Announce(a("10.5.0.1"), up), "^$"},
		"an address elsewhere":              {1001, 103, frame.Announce(a("10.3.0.2"), stranger), "^$"},
		"by a member that is in reserve":    {1003, 103, frame.Announce(a("10.3.0.1"), stranger), "^$"},
		"the address in another network":    {1001, 106, frame.Announce(a("10.3.0.1"), stranger), "^$"},
		"what is no address resolution":     {1001, 103, make([]byte, 60), "^$"},
		"what is cut":                       {1001, 103, frame.Announce(a("10.3.0.1"), stranger)[:20], "^$"},
		"a machine that has no address yet": {1001, 103, frame.Announce(a("0.0.0.0"), own), `says to have the address none yet, .* netctl node uplinks h1$`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := ofnettest.Parse(t, hosts)
				c := NewDetector(DetectorOptions{Host: "h1", View: func(fn func(*ofnet.State)) { fn(s) }, Uplink: func(port uint32) string { return fmt.Sprint("eth", port-1000) }, Log: slog.New(slog.DiscardHandler)})
				for range 3 {
					c.receive(row.port, flow.NewMatch(flow.Eq(flow.Reg0+1, uint64(row.segment))), row.frame)
					<-time.After(time.Second)
				}
				if got := words(c.Look(t.Context())); !regexp.MustCompile(row.want).MatchString(got) {
					t.Errorf("want %s, got\n%s", row.want, got)
				}
				<-time.After(conflictLifetime)
				if got := words(c.Look(t.Context())); got != "" {
					t.Errorf("when it is over: want nothing, got\n%s", got)
				}
			})
		})
	}
}

// Of many claims, only a few are kept, and one per container is reported.
func TestClaims_Many(t *testing.T) {
	s := ofnettest.Parse(t, hosts)
	c := NewDetector(DetectorOptions{Host: "h1", View: func(fn func(*ofnet.State)) { fn(s) }, Uplink: func(uint32) string { return "eth1" }, Log: slog.New(slog.DiscardHandler)})
	for i := range 1000 {
		c.receive(1001, flow.NewMatch(flow.Eq(flow.Reg0+1, 103)), frame.Announce(netip.MustParseAddr("10.3.0.1"), ofnet.MAC{0x52, 0x54, 0, 0, byte(i >> 8), byte(i)}))
	}
	if got := c.Look(t.Context()); len(got) != 1 || len(c.list) != maxConflicts {
		t.Errorf("want 1 finding and %d claims, got %d and %d", maxConflicts, len(got), len(c.list))
	}
}

func TestSpoofs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ofnettest.Parse(t, hosts)
		var packets uint64
		var broken error
		p := NewSpoofs(SpoofOptions{View: func(fn func(*ofnet.State)) { fn(s) }, Hits: func(context.Context) (map[uint64]bridge.Hits, error) {
			return map[uint64]bridge.Hits{flow.Owner(ofnet.Key{Kind: ofnet.KindEndpoint, Name: "b1"}): {Packets: packets}, 77: {Packets: 1 << 40}}, broken
		}})
		for _, row := range []struct {
			name    string
			after   time.Duration
			packets uint64
			err     error
			want    string
		}{
			{"what was counted before", 0, 5000, nil, "^$"},
			{"a few", 10 * time.Second, 5010, nil, "^$"},
			{"many", 10 * time.Second, 5015, nil, `^warning spoofed-source endpoint/b1: 15 packets within 20s had other addresses than the container's \(02:02:66:01:00:01, 10\.3\.0\.1, fd03::1\), .*\. netctl capture b1$`},
			{"none since", 10 * time.Second, 5015, nil, "15 packets within 30s"},
			{"none for a minute", 50 * time.Second, 5015, nil, "^$"},
			{"a few in long times", 59 * time.Second, 5025, nil, "^$"},
			{"a counter that begins again", time.Second, 3, nil, "^$"},
			{"a switch that is away", time.Second, 3, errors.New("switch is not connected"), "^unknown spoofed-unknown switch/contiv0: .*: switch is not connected.*$"},
			{"many again", time.Second, 30, nil, "27 packets within 2s"},
		} {
			<-time.After(row.after)
			packets, broken = row.packets, row.err
			if got := words(p.Look(t.Context())); !regexp.MustCompile(row.want).MatchString(got) {
				t.Errorf("%s: want %s, got\n%s", row.name, row.want, got)
			}
		}
	})
}
