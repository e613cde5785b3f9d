// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"net"
	"testing"

	"github.com/miekg/dns"
)

// A container that knows the number of the question could have the answer forged, for all others of the host.
func TestForwarder_AsksUnderANumberOfItsOwn(t *testing.T) {
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const known = 7
	numbers := make(chan uint16, 10)
	server := &dns.Server{PacketConn: p, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		numbers <- q.Id
		a := new(dns.Msg)
		a.SetReply(q)
		_ = w.WriteMsg(a)
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.ActivateAndServe() }()
	t.Cleanup(func() {
		_ = p.Close()
		<-ended
	})
	f := NewForwarder([]string{p.LocalAddr().String()}, "")
	same := 0
	for range 2 { // by chance it may be the same once
		q := new(dns.Msg)
		q.SetQuestion("example.com.", dns.TypeA)
		q.Id = known
		a, err := f.Forward(t.Context(), Requester{}, q)
		if err != nil || a.Id != known || a.Rcode != dns.RcodeSuccess {
			t.Fatalf("answer: got %v, %v", a, err)
		}
		if <-numbers == known {
			same++
		}
	}
	if same == 2 {
		t.Errorf("name servers are asked under the client's number %d", known)
	}
}
