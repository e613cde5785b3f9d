// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// fakeSwitch notes what is sent.
type fakeSwitch struct {
	sent    chan []byte
	resumed int
	held    int
}

func (f *fakeSwitch) Send(_ uint32, b []byte) error { f.sent <- b; return nil }
func (f *fakeSwitch) Resume(packetin.Packet) error  { f.resumed++; return nil }
func (f *fakeSwitch) Hold(_ context.Context, flows []flow.Flow) error {
	f.held += len(flows)
	return nil
}

// nameServer answers every question for A with 192.0.2.1, over UDP and TCP, and counts them.
func nameServer(t *testing.T, truncate bool) (addr string, asked chan string) {
	t.Helper()
	asked = make(chan string, 100)
	handler := dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		asked <- w.LocalAddr().Network()
		a := new(dns.Msg)
		a.SetReply(q)
		if _, tcp := w.LocalAddr().(*net.TCPAddr); truncate && !tcp {
			a.Truncated = true
		} else {
			a.Answer = append(a.Answer, &dns.A{Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: net.IPv4(192, 0, 2, 1)})
		}
		_ = w.WriteMsg(a)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p, err := net.ListenPacket("udp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*dns.Server{{Listener: l, Handler: handler}, {PacketConn: p, Handler: handler}} {
		started := make(chan struct{})
		s.NotifyStartedFunc = func() { close(started) }
		go func() { _ = s.ActivateAndServe() }()
		<-started
		t.Cleanup(func() { _ = s.Shutdown() })
	}
	return l.Addr().String(), asked
}

func question(t *testing.T, name string, mac ofnet.MAC, server string) packetin.Packet {
	t.Helper()
	q := new(dns.Msg)
	q.SetQuestion(name, dns.TypeA)
	b, err := q.Pack()
	if err != nil {
		t.Fatal(err)
	}
	u := frame.UDP{EthSrc: ofnet.MAC{2, 2, 0, 0, 0, 1}, EthDst: mac, Src: netip.MustParseAddrPort("10.1.0.9:4000"),
		Dst: netip.AddrPortFrom(netip.MustParseAddr(server), 53), Payload: b}
	return packetin.Packet{InPort: 3, Frame: u.Append(nil), Match: flow.NewMatch(flow.Eq(flow.InPort, 3), flow.Eq(flow.Reg0+1, 101), flow.Eq(flow.Reg0+2, 0x80010001))}
}

func TestResponder(t *testing.T) {
	server, asked := nameServer(t, false)
	state := ofnet.NewState("h1")
	state.Segments.Set("n.blue", &ofnet.Segment{Name: "n.blue", ID: 101, Encap: ofnet.VXLAN, Mode: ofnet.Bridge, Gateway4: netip.MustParseAddr("10.1.0.254")})
	zone := testZone()
	r := NewResponder(Options{Host: "h1", Zone: zone.Zone, Forward: NewForwarder([]string{server}, ""),
		View: func(fn func(s *ofnet.State)) { fn(state) }, Log: slog.New(slog.DiscardHandler)})
	f := &fakeSwitch{sent: make(chan []byte, 1)}
	answered := func(p packetin.Packet) string {
		t.Helper()
		r.Handle(t.Context(), f, p)
		select {
		case b := <-f.sent:
			u, err := frame.ParseUDP(b)
			a := new(dns.Msg)
			if err != nil || u.Src.Port() != 53 || u.Dst.String() != "10.1.0.9:4000" || a.Unpack(u.Payload) != nil || len(a.Answer) == 0 {
				t.Fatalf("a bad answer: %+v, %v", u, err)
			}
			return a.Answer[0].(*dns.A).A.String()
		case <-time.After(10 * time.Second):
			t.Fatal("no answer within 10 s")
			return ""
		}
	}
	stranger := ofnet.MAC{2, 2, 0, 0, 0, 7}
	if got := answered(question(t, "web-2.", stranger, "10.1.0.7")); got != "10.1.0.2" {
		t.Errorf("a name of the tenant: got %s", got)
	}
	if got := answered(question(t, "example.com.", pipeline.RouterMAC, "10.1.0.254")); got != "192.0.2.1" || len(asked) != 1 {
		t.Errorf("another name, asked of the gateway: got %s", got)
	}
	dnsOf := func(tenant string) {
		zone.Namespace("kube-system", &record.Namespace{Name: "kube-system", Place: record.Place{Tenant: tenant}})
	}
	zone.KubernetesService("kube-system:kube-dns", &record.KubernetesService{ClusterIPs: []netip.Addr{netip.MustParseAddr("10.96.0.10")}})
	dnsOf("other")
	if got := answered(question(t, "example.com.", stranger, "10.96.0.10")); got != "192.0.2.1" {
		t.Errorf("another name, asked of the cluster's name server, which the tenant does not reach: got %s", got)
	}
	dnsOf("blue")
	r.Handle(t.Context(), f, question(t, "example.com.", stranger, "10.96.0.10"))
	r.Handle(t.Context(), f, question(t, "example.com.", stranger, "10.1.0.7"))
	r.Handle(t.Context(), f, question(t, "example.com.", pipeline.RouterMAC, "8.8.8.8"))
	r.Handle(t.Context(), f, packetin.Packet{InPort: 3, Frame: []byte("no frame")})
	if f.resumed != 4 || len(f.sent) != 0 {
		t.Errorf("what is not ours goes its way: want 4, got %d", f.resumed)
	}
	for f.held == 0 {
		r.Handle(t.Context(), f, packetin.Packet{InPort: 4})
	}
	if c := r.Counts(); c.Answered != 1 || c.Forwarded != 2 || c.Excess != 1 || c.Questions < burstOfOne {
		t.Errorf("counts: got %+v", c)
	}
	before := f.held
	if r.Handle(t.Context(), f, packetin.Packet{InPort: 5}); f.held != before {
		t.Error("one endpoint's excess is not another's")
	}
}

// A tenant that floods by many endpoints, each within its own limit, leaves room for others.
func TestResponder_TenantsShare(t *testing.T) {
	r := NewResponder(Options{})
	refused := 0
	for port := range uint32(4 * pipeline.LeaseNames.Meter().Rate / burstOfOne) {
		for range burstOfOne {
			if !r.admits(Requester{port, 1}) {
				refused++
			}
		}
	}
	if refused < int(pipeline.LeaseNames.Meter().Rate) {
		t.Errorf("a tenant that floods: want it refused what is beyond its share, got %d of %d refused", refused, 4*int(pipeline.LeaseNames.Meter().Rate))
	}
	for range burstOfOne {
		if !r.admits(Requester{5000, 2}) {
			t.Fatal("another tenant at the same time: want all its questions taken, got one refused")
		}
	}
}

func forward(t *testing.T, f *Forwarder, name string) *dns.Msg {
	t.Helper()
	q := new(dns.Msg)
	q.SetQuestion(name, dns.TypeA)
	a, err := f.Forward(t.Context(), Requester{}, q)
	if err != nil || a.Id != q.Id {
		t.Fatalf("reply: %v, %v", a, err)
	}
	return a
}

func TestForwarder(t *testing.T) {
	server, asked := nameServer(t, true)
	host, port, _ := net.SplitHostPort(server)
	file := filepath.Join(t.TempDir(), "resolv.conf")
	f := NewForwarder(nil, file)
	at := time.Now()
	f.now = func() time.Time { return at }
	if a := forward(t, f, "example.com."); a.Rcode != dns.RcodeServerFailure {
		t.Errorf("no name servers: want SERVFAIL, got %v", a)
	}
	if err := os.WriteFile(file, []byte("nameserver "+host+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	at = at.Add(rereadInterval)
	if got := f.upstreams(); len(got) != 1 || got[0] != net.JoinHostPort(host, "53") {
		t.Errorf("servers of the file: got %v", got)
	}
	f.servers = []string{net.JoinHostPort(host, port)}
	if a := forward(t, f, "example.com."); len(a.Answer) != 1 || <-asked != "udp" || <-asked != "tcp" {
		t.Errorf("what is cut is asked again over TCP: got %v", a)
	}
	at = at.Add(20 * time.Second)
	if a := forward(t, f, "EXAMPLE.com."); len(asked) != 0 || a.Answer[0].Header().Ttl != 40 {
		t.Errorf("remembered: got %v after %d questions", a, len(asked))
	}
	at = at.Add(40 * time.Second)
	if forward(t, f, "example.com."); len(asked) != 2 {
		t.Error("an answer outlives its time to live")
	}
	for {
		if _, ok := f.slots.acquire(Requester{}); !ok {
			break
		}
	}
	q := new(dns.Msg)
	q.SetQuestion("example.com.", dns.TypeA)
	if _, err := f.Forward(t.Context(), Requester{}, q); !errors.Is(err, ErrBusy) {
		t.Errorf("too many at once: got %v", err)
	}
	if _, err := f.Forward(t.Context(), Requester{9, 9}, q); err != nil {
		t.Errorf("too many of one tenant: want another one's asked, got %v", err)
	}
}
