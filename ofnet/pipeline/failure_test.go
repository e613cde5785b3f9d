// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	icmp "github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Packets that the router does not forward reach the agent while it lives, and its message reaches the sender.
func TestTroubles(t *testing.T) {
	l := newLab(t, moreState+"service blue:none cluster=10.1.0.90,fd01::90 address=50.1.1.90 ports=tcp:80:80:30090\n")
	had := pipeline.Default().CompileAll(l.state)
	l.state.Direct = true
	l.state.Router = &ofnet.Router{Tenant: "blue", Port: 1100, MAC: ofnet.MAC{2, 0xaa, 0, 0, 1, 1}, Addr: netip.MustParseAddr("50.1.1.2")}
	change(t, l.ovs, flow.Diff(pipeline.Default().CompileAll(l.state), had))
	const (
		last    = "in_port=1,dl_src=02:02:65:01:00:01,icmp,dl_dst=00:00:11:11:11:11,nw_src=10.1.0.1,nw_dst=10.3.0.1,nw_ttl=1,icmp_type=8"
		six     = "in_port=1,dl_src=02:02:65:01:00:01,udp6,dl_dst=00:00:11:11:11:11,ipv6_src=fd01::1,ipv6_dst=fd02::1,nw_ttl=1"
		unused  = "in_port=1,dl_src=02:02:65:01:00:01,icmp,dl_dst=00:00:11:11:11:11,nw_src=10.1.0.1,nw_dst=10.3.0.99,nw_ttl=9,icmp_type=8"
		absent6 = "in_port=1,dl_src=02:02:65:01:00:01,udp6,dl_dst=00:00:11:11:11:11,ipv6_src=fd01::1,ipv6_dst=fd01::99,nw_ttl=9"
		uplink  = "in_port=1001,dl_vlan=15,dl_src=02:aa:00:00:00:02,dl_dst=02:aa:00:00:00:01,udp,nw_src=10.5.0.2,nw_dst=10.5.0.1,nw_ttl=1"
		fine    = "in_port=1,dl_src=02:02:65:01:00:01,icmp,dl_dst=00:00:11:11:11:11,nw_src=10.1.0.1,nw_dst=10.3.0.1,nw_ttl=2,icmp_type=8"
		private = "in_port=1,dl_src=02:02:65:01:00:01,icmp,dl_dst=00:00:11:11:11:11,nw_src=10.1.0.1,nw_dst=172.19.0.9,nw_ttl=9,icmp_type=8"
		none    = "in_port=1,dl_src=02:02:65:01:00:01,tcp,dl_dst=00:00:11:11:11:11,nw_src=10.1.0.1,nw_dst=10.1.0.90,nw_ttl=9,tp_dst=80,ct_state=new"
		none6   = "in_port=1,dl_src=02:02:65:01:00:01,udp6,dl_dst=00:00:11:11:11:11,ipv6_src=fd01::1,ipv6_dst=fd01::90,nw_ttl=9,udp_dst=81"
		pinged  = "in_port=1,dl_src=02:02:65:01:00:01,icmp,dl_dst=00:00:11:11:11:11,nw_src=10.1.0.1,nw_dst=10.1.0.90,nw_ttl=9,icmp_type=8"
		byHost  = "in_port=1002,dl_src=02:02:ac:13:ff:fe,dl_dst=00:00:11:11:11:11,tcp,nw_src=192.168.251.1,nw_dst=10.1.0.90,nw_ttl=9,tp_dst=80,ct_state=new"
		byNode  = "in_port=1002,dl_src=02:02:ac:13:ff:fe,dl_dst=00:00:11:11:11:11,tcp,nw_src=192.168.251.1,nw_dst=172.19.255.252,nw_ttl=9,tp_dst=30090,ct_state=new"
		outside = "in_port=1001,dl_src=02:aa:00:00:00:09,dl_dst=02:aa:00:00:01:01,tcp,nw_src=8.8.4.4,nw_dst=50.1.1.90,nw_ttl=9,tp_dst=80,ct_state=new"
		inner   = "in_port=1001,dl_src=02:aa:00:00:00:09,dl_dst=02:aa:00:00:01:01,tcp,nw_src=8.8.4.4,nw_dst=10.1.0.90,nw_ttl=9,tp_dst=80,ct_state=new"
		relayed = "in_port=1000,tun_src=192.168.251.2,tun_dst=192.168.251.1,tun_id=16744449,dl_src=02:aa:00:00:00:09,dl_dst=00:00:11:11:11:11,tcp,nw_src=8.8.4.4,nw_dst=50.1.1.90,nw_ttl=9,tp_dst=80,ct_state=new"
		tunnel  = "in_port=1000,tun_src=192.168.251.2,tun_dst=192.168.251.1,tun_id=5001,icmp,dl_src=02:02:65:02:00:03,dl_dst=00:00:11:11:11:11,nw_src=10.1.0.3,nw_dst=10.3.0.99,nw_ttl=9"
	)
	caught := func(packet string) bool { return strings.HasPrefix(l.trace(t, packet), "meter(") }
	packets := make(chan packetin.Packet, 8)
	tr := packetin.New(packetin.Options{Socket: l.ovs.Mgmt("br0"), Flows: pipeline.Failures(), Workers: 1,
		Meter:  flow.Meter{ID: pipeline.LeaseMessages.Meter().ID, Packets: true, Rate: 1000, Burst: 100},
		Handle: func(_ context.Context, p packetin.Packet) { packets <- p }, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- tr.Run(ctx) }()
	eventually(t, "the flows are in the switch", func() bool { return caught(last) })
	for name, row := range map[string]struct {
		packet string
		want   bool
	}{
		"last hop": {last, true}, "last hop, IPv6": {six, true}, "unused address": {unused, true}, "unused address, IPv6": {absent6, true},
		"last hop, by the uplink": {uplink, true}, "more hops": {fine, false}, "a private address": {private, false},
		"a service without backends": {none, true}, "another port of it": {none6, true}, "a ping of it": {pinged, false},
		"the same, by the host": {byHost, true}, "by a port of the host": {byNode, true}, "from outside": {outside, true},
		"from outside, by the cluster's address": {inner, false}, "what another host has handed on": {relayed, false}, "by a tunnel": {tunnel, false},
	} {
		if got := caught(row.packet); got != row.want {
			t.Errorf("%s: want caught %v, got %v (%s)", name, row.want, got, l.trace(t, row.packet))
		}
	}

	w := newWires(t, l)
	a1 := w.Endpoints.Get("a1")
	question := frame{kind: "udp", src: a1.MAC, dst: routerMAC, from: a1.IP4, to: netip.MustParseAddr("10.3.0.99"), ttl: 9}
	w.send(t, "p1", question.bytes())
	var p packetin.Packet
	select {
	case p = <-packets:
	case <-time.After(10 * time.Second):
		t.Fatal("the packet did not reach the agent")
	}
	segment, tenant := pipeline.Origin(p.Match)
	if pipeline.HasExpired(p.Table) || segment != 101 || tenant != 1 {
		t.Errorf("caught in table %d, network %d, tenant %d", p.Table, segment, tenant)
	}
	message, err := icmp.Report(icmp.Unreachable, p.Frame, pipeline.RouterMAC, netip.MustParseAddr("10.1.0.254"))
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Inject(pipeline.Inject(segment, tenant), message); err != nil {
		t.Fatal(err)
	}
	b := w.next(t, "p1")
	const icmpAt = 14 + 20
	if len(b) <= icmpAt || [6]byte(b[:6]) != a1.MAC || [6]byte(b[6:12]) != routerMAC || [2]byte(b[icmpAt:icmpAt+2]) != [2]byte{3, 1} {
		t.Errorf("message: got %x", b)
	}
	refusal(t, w, tr, packets)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("after cancel: want nil, got %v", err)
	}
	if got := l.trace(t, last); got != "drop" && got != "" {
		t.Errorf("without an agent: want a drop, got %s", got)
	}
}

// refusal has a process of the host ask a service that has no one: the message comes to it from the service.
func refusal(t *testing.T, w *wires, tr *packetin.Receiver, packets <-chan packetin.Packet) {
	t.Helper()
	own, service := w.Hosts.Get("h1").VTEP, netip.MustParseAddr("10.1.0.90")
	w.send(t, "contivh0", frame{kind: "tcp", flags: syn, ports: [2]uint16{50000, 80}, src: pipeline.HostMAC, dst: routerMAC, from: own, to: service, ttl: 9}.bytes())
	var p packetin.Packet
	select {
	case p = <-packets:
	case <-time.After(10 * time.Second):
		t.Fatal("the packet did not reach the agent")
	}
	do, mac, routed, ok := pipeline.Reply(w.lab.state, p.Match)
	if !pipeline.IsRefused(p.Table) || routed || !ok || mac != pipeline.RouterMAC {
		t.Fatalf("caught in table %d; reply by %v, routed %v, %v", p.Table, mac, routed, ok)
	}
	message, err := icmp.Report(icmp.Refused, p.Frame, mac, icmp.Receiver(p.Frame))
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Inject(do, message); err != nil {
		t.Fatal(err)
	}
	b := w.next(t, "contivh0")
	const icmpAt = 14 + 20
	if len(b) <= icmpAt || [6]byte(b[:6]) != pipeline.HostMAC || netip.AddrFrom4([4]byte(b[26:30])) != service || netip.AddrFrom4([4]byte(b[30:34])) != own || [2]byte(b[icmpAt:icmpAt+2]) != [2]byte{3, 3} {
		t.Errorf("message: got %x", b)
	}
}
