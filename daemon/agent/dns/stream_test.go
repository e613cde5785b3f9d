// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

// A client with a private address may send several questions over one TCP connection, about names of the cluster and others.
func TestServe(t *testing.T) {
	up, asked := nameServer(t, true)
	zone := blueZone()
	state := ofnettest.Parse(t, `self h1
tenant blue id=1
network blue:net id=101 vxlan=5001 bridge proxy net=10.1.0.0/24 gw=10.1.0.254
endpoint e1 network=blue:net host=h1 port=1 mac=02:02:65:01:00:01 ip=10.1.0.1
`)
	state.Private = netip.MustParsePrefix("127.0.0.0/16") // the endpoint behind port 1 is 127.0.0.1
	r := NewResponder(Options{Host: "h1", Zone: zone, Forward: NewForwarder([]string{up}, ""), View: func(fn func(*ofnet.State)) { fn(state) },
		Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	done, at, at6 := make(chan error, 1), make(chan string, 1), make(chan string, 1)
	go func() {
		done <- r.Serve(ctx, func(want netip.AddrPort) (net.Listener, error) {
			if want.String() == "[fd63:6f6e:7469:76::7f00:fffe]:9053" {
				l, err := net.Listen("tcp", "[::1]:0")
				if err == nil {
					at6 <- l.Addr().String()
				}
				return l, err
			}
			if want.String() != "127.0.255.254:9053" {
				t.Errorf("want to listen at the host's private address, got %s", want)
			}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err == nil {
				at <- l.Addr().String()
			}
			return l, err
		})
	}()
	server := <-at
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	client := &dns.Client{Net: "tcp"}
	c, err := client.Dial(server)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	for _, row := range []struct {
		name    string
		kind    uint16
		rcode   int
		answers int
	}{
		{"web.", dns.TypeA, dns.RcodeSuccess, 1}, {"web.", dns.TypeAAAA, dns.RcodeSuccess, 0}, {"absent.contiv.", dns.TypeA, dns.RcodeNameError, 0},
		{"1.0.1.10.in-addr.arpa.", dns.TypePTR, dns.RcodeSuccess, 1}, {"example.com.", dns.TypeA, dns.RcodeSuccess, 1},
	} {
		q := new(dns.Msg)
		q.SetQuestion(row.name, row.kind)
		a, _, err := client.ExchangeWithConn(q, c)
		if err != nil || a.Rcode != row.rcode || len(a.Answer) != row.answers || a.Truncated {
			t.Errorf("%s %s: got %v, %v", row.name, dns.TypeToString[row.kind], a, err)
		}
	}
	if first, second := <-asked, <-asked; first != "udp" || second != "tcp" {
		t.Errorf("the name server of the host was asked over %s, then over %s", first, second)
	}
	if n := r.Counts(); n.Questions != 5 || n.Answered != 4 || n.Forwarded != 1 {
		t.Errorf("counts: got %+v", n)
	}

	// In IPv6, the host and its clients have private addresses too; this client has none.
	six, err := client.Dial(<-at6)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = six.Close() }()
	ask := new(dns.Msg)
	ask.SetQuestion("web.", dns.TypeA)
	if a, _, err := client.ExchangeWithConn(ask, six); err == nil {
		t.Errorf("a stranger by IPv6 is answered: %v", a)
	}
	if a, ok := r.requester(net.TCPAddrFromAddrPort(netip.MustParseAddrPort("[fd63:6f6e:7469:76::7f00:1]:40000"))); !ok || a != (Requester{1, 1}) {
		t.Errorf("who has the private IPv6 address of port 1: want tenant 1, got %+v, %v", a, ok)
	}

	// The connection of a client without a private address, or with a question of another class, is closed.
	stranger, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 9)}}).Dial("tcp", server)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Close() }()
	q := new(dns.Msg)
	q.SetQuestion("web.", dns.TypeA)
	if a, _, err := client.ExchangeWithConn(q, &dns.Conn{Conn: stranger}); err == nil {
		t.Errorf("a stranger is answered: %v", a)
	}
	other, err := net.Dial("tcp", server)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	q.Question[0].Qclass = dns.ClassCHAOS
	if a, _, err := client.ExchangeWithConn(q, &dns.Conn{Conn: other}); err == nil {
		t.Errorf("a question of a class that is not known is answered: %v", a)
	}
	speech, err := net.Dial("tcp", server)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = speech.Close() }()
	if _, err := speech.Write([]byte("\x00\x10GET / HTTP/1.1\r\n")); err != nil {
		t.Fatal(err)
	}
	if a, err := (&dns.Conn{Conn: speech}).ReadMsg(); err != nil || a.Rcode != dns.RcodeNotImplemented || len(a.Answer) != 0 {
		t.Errorf("what is no question: want it refused, got %v, %v", a, err)
	}
}

// An endpoint that opens connections and sends nothing does not prevent connections of others.
func TestServe_Crowd(t *testing.T) {
	zone := blueZone()
	state := ofnettest.Parse(t, `self h1
tenant blue id=1
network blue:net id=101 vxlan=5001 bridge proxy net=10.1.0.0/24 gw=10.1.0.254
endpoint e1 network=blue:net host=h1 port=1 mac=02:02:65:01:00:01 ip=10.1.0.1
endpoint e2 network=blue:net host=h1 port=2 mac=02:02:65:01:00:02 ip=10.1.0.2
`)
	state.Private = netip.MustParsePrefix("127.0.0.0/16")
	r := NewResponder(Options{Host: "h1", Zone: zone, View: func(fn func(*ofnet.State)) { fn(state) }, Log: slog.New(slog.DiscardHandler)})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		r.accept(ctx, l)
		close(ended)
	}()
	defer func() {
		cancel() // which ends the open connections
		_ = l.Close()
		<-ended
		if r.streams.taken != 0 {
			t.Errorf("want every connection to give its place back, got %d taken", r.streams.taken)
		}
	}()
	dial := func(port byte) net.Conn {
		t.Helper()
		c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, port)}}).Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	for range maxStreams + 1 {
		dial(1)
	}
	q := new(dns.Msg)
	q.SetQuestion("web.", dns.TypeA)
	client := &dns.Client{Net: "tcp"}
	if a, _, err := client.ExchangeWithConn(q, &dns.Conn{Conn: dial(2)}); err != nil || len(a.Answer) != 1 {
		t.Errorf("another endpoint meanwhile: want it answered, got %v, %v", a, err)
	}
}

// A client that reads no answers keeps the connection no longer than one that sends nothing.
func TestStream_SetReadDeadline(t *testing.T) {
	here, there := net.Pipe()
	defer func() { _ = there.Close() }()
	s := &stream{Conn: here, release: func() {}, forget: func() bool { return true }}
	if err := s.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte("answer")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("an answer after the deadline: want it refused, got %v", err)
	}
}

// blueZone returns a zone of one tenant with one container, web.
func blueZone() *Zone {
	zone := newZone("contiv", "")
	zone.Tenant("blue", &record.Tenant{VRF: 1})
	zone.Endpoint("e1", member("blue", "e1", "web", "", "10.1.0.1"))
	return zone.Zone
}
