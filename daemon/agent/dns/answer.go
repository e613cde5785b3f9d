// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/record"
)

const (
	// ttl is how long clients may cache an answer, in seconds. Containers come and go.
	ttl = 5
	// maxAddresses is the maximum number of addresses in one answer; larger groups rotate.
	maxAddresses = 16
	// Sizes of answers over UDP: the one that every client accepts (RFC 1035 section 4.2.1), and the one that passes every network.
	plainSize = 512
	safeSize  = 1232
)

// Verdict is the outcome for a query.
type Verdict uint8

// The verdicts.
const (
	NoQuestion Verdict = iota // not a valid query
	NotOurs                   // about a name unknown to the Zone
	Answered
)

// Answer returns the answer for a client of the tenant with this VRF number; nil unless the verdict is Answered.
func (z *Zone) Answer(vrf uint16, q *dns.Msg) (*dns.Msg, Verdict) {
	if q.Response || q.Opcode != dns.OpcodeQuery || len(q.Question) != 1 || q.Question[0].Qclass != dns.ClassINET {
		return nil, NoQuestion
	}
	a := new(dns.Msg)
	a.SetReply(q)
	a.Authoritative, a.RecursionAvailable, a.Compress = true, true, true
	if !z.view().resolve(vrf, q, a) {
		return nil, NotOurs
	}
	if q.IsEdns0() != nil {
		a.SetEdns0(safeSize, false)
	}
	return a, Answered
}

// resolve fills the answer; false when the name is not ours.
func (v *view) resolve(vrf uint16, q, a *dns.Msg) bool {
	question := q.Question[0]
	of, known := v.tenantOf(vrf)
	if !known {
		return false
	}
	name := names.Fold(question.Name)
	if v.kubernetes().Answer(of, name, a) {
		soa(a)
		return true
	}
	if addr, ok := reversed(name); ok {
		owner := v.kubernetes().Owner(of, addr)
		if own := v.owner(names.At{Tenant: of, Address: addr}); owner == "" && own != "" {
			owner = dns.Fqdn(own + "." + v.domain)
		}
		if owner == "" {
			return false
		}
		if question.Qtype == dns.TypePTR || question.Qtype == dns.TypeANY {
			a.Answer = append(a.Answer, &dns.PTR{Hdr: header(question.Name, dns.TypePTR), Ptr: owner})
		}
		soa(a)
		return true
	}
	rest, under := v.relative(name, of)
	ports, host := split(rest)
	if !under && strings.Contains(host, ".") {
		return false // names with dots belong to others, such as kubernetes.default.svc.cluster.local
	}
	addrs, ok := v.addresses(names.Of(of, host))
	if whole := strings.TrimSuffix(name, "."+v.domain); !ok && under && whole != host { // the tenant's name may be a namespace's
		if addrs, ok = v.addresses(names.Of(of, whole)); ok {
			host = whole
		}
	}
	switch {
	case host == "" || !ok && !under:
		return false
	case !ok:
		a.Rcode = dns.RcodeNameError
	case ports != nil || question.Qtype == dns.TypeSRV:
		v.serve(names.Of(of, host), ports, dns.Fqdn(host+"."+v.domain), a)
	default:
		turn := turns(addrs, question.Qtype, q.Id)
		for _, addr := range turn {
			a.Answer = append(a.Answer, address(question.Name, addr))
		}
	}
	soa(a)
	return true
}

// wanted is the port that a name like _80._tcp.web requests; the zero wanted is any.
type wanted struct{ number, protocol string }

// split cuts port and protocol off a name (RFC 2782). ports is nil if it has none.
func split(name string) (ports *wanted, host string) {
	labels := strings.SplitN(name, ".", 3)
	if len(labels) == 3 && strings.HasPrefix(labels[0], "_") && strings.HasPrefix(labels[1], "_") {
		return &wanted{labels[0][1:], labels[1][1:]}, labels[2]
	}
	return nil, name
}

// serve answers with the ports of a service. A name with a missing port does not exist.
func (v *view) serve(at names.In, w *wanted, target string, a *dns.Msg) {
	s := v.service(at)
	if s == nil && w == nil {
		return
	}
	if s == nil {
		s = &record.ServiceLB{}
	}
	question := a.Question[0]
	found := false
	for _, p := range portsOf(s) {
		if w != nil && (w.number != strconv.Itoa(int(p.number)) || w.protocol != p.protocol) {
			continue
		}
		found = true
		if question.Qtype == dns.TypeSRV || question.Qtype == dns.TypeANY {
			a.Answer = append(a.Answer, &dns.SRV{Hdr: header(question.Name, dns.TypeSRV), Port: p.number, Target: target})
		}
	}
	if len(a.Answer) > 0 {
		a.Extra = append(a.Extra, address(target, s.IP))
	}
	if !found && w != nil {
		a.Rcode = dns.RcodeNameError
	}
}

// port is the port of a service: the protocol is "tcp" or "udp".
type port struct {
	number   uint16
	protocol string
}

// portsOf returns the ports of a service, without invalid ones.
func portsOf(of *record.ServiceLB) (out []port) {
	for _, text := range of.Ports {
		parts := strings.Split(text, ":")
		n, err := strconv.ParseUint(parts[0], 10, 16)
		if err == nil && len(parts) == 3 {
			out = append(out, port{uint16(n), strings.ToLower(parts[2])})
		}
	}
	return out
}

// turns chooses the addresses of the requested family, with a different start for every query id.
func turns(addrs []netip.Addr, qtype, id uint16) []netip.Addr {
	list := slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool {
		return qtype != dns.TypeANY && !(qtype == dns.TypeA && a.Is4()) && !(qtype == dns.TypeAAAA && a.Is6())
	})
	if len(list) == 0 {
		return nil
	}
	at := int(id) % len(list)
	return append(list[at:len(list):len(list)], list[:at]...)[:min(maxAddresses, len(list))]
}

func header(name string, rrtype uint16) dns.RR_Header {
	return dns.RR_Header{Name: name, Rrtype: rrtype, Class: dns.ClassINET, Ttl: ttl}
}

func address(name string, addr netip.Addr) dns.RR {
	if addr.Is4() {
		return &dns.A{Hdr: header(name, dns.TypeA), A: net.IP(addr.AsSlice())}
	}
	return &dns.AAAA{Hdr: header(name, dns.TypeAAAA), AAAA: net.IP(addr.AsSlice())}
}

// soa sets how long a negative answer may be cached (RFC 2308): every name is a zone of its own.
func soa(a *dns.Msg) {
	if len(a.Answer) > 0 {
		return
	}
	name := a.Question[0].Name
	a.Ns = append(a.Ns, &dns.SOA{Hdr: header(name, dns.TypeSOA), Ns: name, Mbox: "contiv.", Serial: 1, Refresh: ttl, Retry: ttl, Expire: ttl, Minttl: ttl})
}

// datagramSize is the maximum size of an answer over UDP, in bytes.
func datagramSize(q *dns.Msg) int {
	if opt := q.IsEdns0(); opt != nil {
		return min(max(int(opt.UDPSize()), plainSize), safeSize)
	}
	return plainSize
}

// fit packs an answer in at most size bytes. It omits the rest without making the client retry over TCP: the addresses of a group rotate.
func fit(a *dns.Msg, size int) ([]byte, error) {
	for {
		b, err := a.Pack()
		if err != nil {
			return nil, fmt.Errorf("pack answer: %w", err)
		}
		if len(b) <= size {
			return b, nil
		}
		if len(a.Answer) == 0 {
			return nil, fmt.Errorf("answer of %d bytes is over %d", len(b), size)
		}
		a.Answer = a.Answer[:len(a.Answer)-1]
	}
}

// reversed parses the address in a name under in-addr.arpa or ip6.arpa (RFC 1035 section 3.5, RFC 3596 section 2.5).
func reversed(name string) (addr netip.Addr, ok bool) {
	if digits, ok := strings.CutSuffix(name, ".in-addr.arpa"); ok {
		labels := strings.Split(digits, ".")
		slices.Reverse(labels)
		addr, err := netip.ParseAddr(strings.Join(labels, "."))
		return addr, err == nil && addr.Is4()
	}
	digits, ok := strings.CutSuffix(name, ".ip6.arpa")
	labels := strings.Split(digits, ".")
	if !ok || len(labels) != 32 {
		return addr, false
	}
	slices.Reverse(labels)
	var b [16]byte
	for i, l := range labels {
		n, err := strconv.ParseUint(l, 16, 4)
		if err != nil || len(l) != 1 {
			return addr, false
		}
		b[i/2] = b[i/2]<<4 | byte(n)
	}
	return netip.AddrFrom16(b), true
}
