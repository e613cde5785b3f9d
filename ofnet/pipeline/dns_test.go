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
	udp "github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// eventually waits until a condition of another process holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(20 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// next waits for a frame at a port.
func (w *wires) next(t *testing.T, port string) (b []byte) {
	t.Helper()
	eventually(t, "a frame at "+port, func() bool { b = w.receive(t, port); return b != nil })
	return b
}

// Questions to name servers reach the agent while it lives, with their origin; it may answer, or let them go. Other packets, and all
// packets without an agent, pass unchanged.
func TestDNSTrap(t *testing.T) {
	l := newLab(t, "")
	const (
		question = "in_port=1,dl_src=02:02:65:01:00:01,udp,dl_dst=02:02:65:01:00:02,nw_src=10.1.0.1,nw_dst=10.1.0.2,udp_src=999,udp_dst=53"
		six      = "in_port=1,dl_src=02:02:65:01:00:01,udp6,dl_dst=02:02:65:01:00:02,ipv6_src=fd01::1,ipv6_dst=fd01::2,udp_src=999,udp_dst=53"
		fabric   = "in_port=1000,tun_src=192.168.251.2,tun_dst=192.168.251.1,tun_id=5001,udp,dl_src=02:02:65:02:00:03,dl_dst=02:02:65:01:00:01,nw_src=10.1.0.3,nw_dst=10.1.0.1,udp_dst=53"
	)
	caught := func(packet string) bool { return strings.HasPrefix(l.trace(t, packet), "meter(") }
	for _, q := range []string{question, six} {
		if got := l.trace(t, q); got != "p2" {
			t.Fatalf("without an agent: want p2, got %s", got)
		}
	}
	packets := make(chan packetin.Packet, 8)
	tr := packetin.New(packetin.Options{Socket: l.ovs.Mgmt("br0"), Flows: pipeline.DNSQuestions(),
		Meter: flow.Meter{ID: flow.LeasedMeters, Packets: true, Rate: 1000, Burst: 100}, Send: pipeline.To, Resume: pipeline.Resume,
		Handle: func(_ context.Context, p packetin.Packet) { packets <- p }, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- tr.Run(ctx) }()
	eventually(t, "the flows are in the switch", func() bool { return caught(question) })
	if !caught(six) || caught(fabric) || caught(strings.Replace(question, "udp_dst=53", "udp_dst=54", 1)) {
		t.Errorf("IPv6 is caught %v; from the tunnel %v; another port %v", caught(six), caught(fabric), caught(strings.Replace(question, "udp_dst=53", "udp_dst=54", 1)))
	}

	u := udp.UDP{EthSrc: ofnet.MAC{2, 2, 0x65, 1, 0, 1}, EthDst: ofnet.MAC{2, 2, 0x65, 1, 0, 2},
		Src: netip.MustParseAddrPort("10.1.0.1:999"), Dst: netip.MustParseAddrPort("10.1.0.2:53"), Payload: []byte("who is web")}
	w := newWires(t, l)
	w.send(t, "p1", u.Append(nil))
	var p packetin.Packet
	select {
	case p = <-packets:
	case <-time.After(10 * time.Second):
		t.Fatal("the question did not reach the agent")
	}
	segment, tenant := pipeline.Origin(p.Match)
	got, err := udp.ParseUDP(p.Frame)
	if err != nil || string(got.Payload) != "who is web" || p.InPort != 1 || segment != 101 || tenant != 1 {
		t.Errorf("caught: %q on port %d, network %d, tenant %d, %v", got.Payload, p.InPort, segment, tenant, err)
	}
	if err := tr.Send(1, got.Reply([]byte("web is 10.1.0.7")).Append(nil)); err != nil {
		t.Fatal(err)
	}
	if answer, err := udp.ParseUDP(w.next(t, "p1")); err != nil || string(answer.Payload) != "web is 10.1.0.7" {
		t.Errorf("answer: got %q, %v", answer.Payload, err)
	}
	if err := tr.Resume(p); err != nil {
		t.Fatal(err)
	}
	if on, err := udp.ParseUDP(w.next(t, "p2")); err != nil || string(on.Payload) != "who is web" {
		t.Errorf("let go: got %q, %v", on.Payload, err)
	}
	if err := tr.Hold(ctx, pipeline.DNSBypass(1)); err != nil {
		t.Fatal(err)
	}
	if got := l.trace(t, question); got != "p2" {
		t.Errorf("past the agent: want p2, got %s", got)
	}
	eventually(t, "a lease that is not renewed ends", func() bool { return caught(question) })
	cancel()
	if err := <-done; err != nil {
		t.Errorf("after cancel: want nil, got %v", err)
	}
	if got := l.trace(t, question); got != "p2" {
		t.Errorf("after the agent: want p2, got %s", got)
	}
}
