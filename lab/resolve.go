// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// Resolve queries a name server once, over "udp" or "tcp", and prints a line for every record of the answer. No answer within timeout, and
// an error answer, are errors.
func Resolve(ctx context.Context, network, server, name, kind string, timeout time.Duration, out io.Writer) error {
	rrtype, ok := dns.StringToType[strings.ToUpper(kind)]
	if !ok {
		return fmt.Errorf("%q is no type of a record; A, AAAA, PTR and SRV are", kind)
	}
	if rrtype == dns.TypePTR && net.ParseIP(name) != nil {
		name, _ = dns.ReverseAddr(name) // it is an address
	}
	q := new(dns.Msg)
	q.SetQuestion(dns.Fqdn(name), rrtype)
	a, took, err := (&dns.Client{Net: network, Timeout: timeout}).ExchangeContext(ctx, q, net.JoinHostPort(server, "53"))
	if err != nil {
		return fmt.Errorf("ask %s for %s: %w", server, name, err)
	}
	for _, rr := range append(a.Answer, a.Extra...) {
		fmt.Fprintln(out, strings.Join(strings.Fields(rr.String()), " "))
	}
	fmt.Fprintf(out, ";; %s, %d answers, %s\n", dns.RcodeToString[a.Rcode], len(a.Answer), took.Round(10*time.Microsecond))
	if a.Rcode != dns.RcodeSuccess {
		return fmt.Errorf("ask %s for %s: %s", server, name, dns.RcodeToString[a.Rcode])
	}
	return nil
}

// NameServer answers every query for an address with one, and nothing else, at every address of its namespace. It prints "listening" on
// out, then a line for every query, and ends with ctx.
func NameServer(ctx context.Context, addr string, out io.Writer) error {
	p, err := net.ListenPacket("udp", ":53")
	if err != nil {
		return err
	}
	s := &dns.Server{PacketConn: p, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		fmt.Fprintln(out, w.RemoteAddr(), q.Question[0].Name)
		a := new(dns.Msg)
		a.SetReply(q)
		if rr, err := dns.NewRR(q.Question[0].Name + " 60 IN A " + addr); err == nil && q.Question[0].Qtype == dns.TypeA {
			a.Answer = append(a.Answer, rr)
		}
		_ = w.WriteMsg(a) // the client may be gone
	})}
	defer context.AfterFunc(ctx, func() { _ = p.Close() })()
	fmt.Fprintln(out, "listening")
	if err := s.ActivateAndServe(); ctx.Err() == nil {
		return err
	}
	return nil
}
