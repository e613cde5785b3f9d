// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// strangers is how many clients ask, each with an address of its own.
const strangers = 16

// TestAffinityOfOthers plays real packets of clients that are no endpoints here: anyone who takes them in remembers to which host they
// were led, and that host to which backend, for as long as the service says.
func TestAffinityOfOthers(t *testing.T) {
	l := newServiceLab(t)
	own, other := ofnet.MAC{2, 0xaa, 0, 0, 1, 1}, l.Hosts.Get("h2").VTEP
	l.change(func(s *ofnet.State) {
		s.Direct, s.Router = true, &ofnet.Router{Tenant: "red", Port: 1100, MAC: own, Addr: netip.MustParseAddr("50.1.1.2")}
	})
	port := uint16(60000) // of a client: a new one is a new connection
	nodePort := pipeline.NodePortAddr(l.lab.state.Private, false)
	for _, r := range []struct {
		name       string
		in         way
		dst        ofnet.MAC
		to         netip.Addr
		port       uint16
		first      []string // backends
		more, less []string
	}{
		{"from outside, by a router", way{}, own, netip.MustParseAddr("50.1.1.78"), 80, []string{"s1", "s2"}, []string{"s1", "s2", "t1", "t2"}, []string{"s2", "t1"}},
		{"handed on by another host", way{peer: other, vni: ofnet.LastVNI + 1 + 4}, routerMAC, netip.MustParseAddr("50.1.1.78"), 80,
			[]string{"s1", "s3"}, []string{"s1", "s2", "s3", "t1"}, []string{"s3", "t1"}},
		{"from a host, to the cluster's address", way{host: true}, routerMAC, netip.MustParseAddr("10.96.0.12"), 80, []string{"s1", "s2"}, []string{"s1", "s2", "t1", "t2"}, []string{"s2", "t1"}},
		{"by a port of the host", way{host: true}, routerMAC, nodePort, 30083, []string{"s1", "s2"}, []string{"s1", "s2", "t1", "t2"}, []string{"s2", "t1"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			l.t = t
			backends := func(timeout time.Duration, names []string) {
				l.set("red:kept", func(v *ofnet.Service) {
					var list []netip.Addr
					for _, name := range names {
						list = append(list, l.Endpoints.Get(name).IP4)
					}
					v.Affinity, v.ExternalLocal, v.Ports[0].NodePort = ofnet.Affinity{Client: true, Timeout: timeout}, false, 30083
					ofnettest.SetBackends(v, list...)
				})
			}
			places := func() (out [strangers]string) {
				port++
				for n := range out {
					src := stranger
					if r.in.host {
						src = pipeline.HostMAC
					}
					f := frame{kind: "tcp", flags: syn, src: src, dst: r.dst, ports: [2]uint16{port, r.port}, ttl: 64, from: netip.AddrFrom4([4]byte{8, 8, 4, byte(n + 1)}), to: r.to}
					out[n], _, _ = strings.Cut(l.sends(r.in, f).where, " vni")
				}
				return out
			}
			backends(time.Minute, r.first)
			was := places()
			seen := map[string]int{}
			for _, place := range was {
				seen[place]++
			}
			if len(seen) != 2 || seen[""] != 0 {
				t.Fatalf("want clients at both backends, got %v", seen)
			}
			eventually(t, "all clients are remembered", func() bool { return l.learned() == strangers })
			backends(time.Minute, r.more)
			for range 3 {
				if got := places(); got != was {
					t.Errorf("backends more: want every client where it was, %v, got %v", was, got)
				}
			}
			backends(time.Minute, r.less)
			for n, place := range places() {
				if gone := was[n] == "p51"; place == "" || gone == (place == was[n]) {
					t.Errorf("s1 is gone: want client %d at another place if it was there, and where it was if not; it was at %q and is at %q", n, was[n], place)
				}
			}
			l.change(func(s *ofnet.State) { s.Services.Delete("red:kept") })
			if n := l.learned(); n != 0 {
				t.Errorf("the service is gone: want no one remembered, got %d", n)
			}
			l.change(func(s *ofnet.State) { s.SetService(ofnettest.Parse(t, redState(t)).Services.Get("red:kept")) })
			backends(time.Second, r.more)
			places()
			eventually(t, "the clients are forgotten", func() bool { return l.learned() == 0 })
		})
	}
}
