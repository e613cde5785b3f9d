// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

// datagram is a UDP datagram that is larger than a packet may be.
type datagram struct {
	src, dst ofnet.MAC
	from, to netip.AddrPort
	size     int // of its payload
}

// firstPart is how much of a datagram's IP payload the first of its two fragments has: more than what a tracker takes for an attack.
const firstPart = 1408

// String is what counts about it.
func (d datagram) String() string {
	return fmt.Sprintf("%s>%s %v>%v, %d bytes", hex(d.src), hex(d.dst), d.from, d.to, d.size)
}

// payload is of the size that it is to have.
func (d datagram) payload() []byte { return bytes.Repeat([]byte("contiv"), d.size/6+1)[:d.size] }

// udp is the datagram with its header.
func (d datagram) udp() []byte {
	b := be.AppendUint16(be.AppendUint16(nil, d.from.Port()), d.to.Port())
	b = append(be.AppendUint16(b, uint16(8+d.size)), 0, 0)
	b = append(b, d.payload()...)
	be.PutUint16(b[6:], checksum(frame{from: d.from.Addr(), to: d.to.Addr()}.pseudo(protoUDP, len(b)), b))
	return b
}

// fragments are the datagram in two frames, under a number.
func (d datagram) fragments(id uint16) (out [][]byte) {
	all := d.udp()
	for at, part := range map[int][]byte{0: all[:firstPart], firstPart: all[firstPart:]} {
		b := append(append([]byte(nil), d.dst[:]...), d.src[:]...)
		more := at+len(part) < len(all)
		if d.from.Addr().Is4() {
			b = append(be.AppendUint16(b, typeIP4), frame{from: d.from.Addr(), to: d.to.Addr(), ttl: 64}.header4(protoUDP, len(part))...)
			h := b[14:]
			be.PutUint16(h[4:], id)
			be.PutUint16(h[6:], uint16(at/8))
			if more {
				h[6] |= 0x20 // RFC 791 section 3.1
			}
			be.PutUint16(h[10:], 0)
			be.PutUint16(h[10:], checksum(h[:20]))
		} else {
			b = append(be.AppendUint16(b, typeIP6), 0x60, 0, 0, 0)
			b = append(be.AppendUint16(b, uint16(8+len(part))), 44, 64)
			b = append(append(b, d.from.Addr().AsSlice()...), d.to.Addr().AsSlice()...)
			offset := uint16(at) // RFC 8200 section 4.5: in units of 8, above three bits
			if more {
				offset |= 1
			}
			b = append(be.AppendUint16(append(b, protoUDP, 0), offset), 0, 0, byte(id>>8), byte(id))
		}
		out = append(out, append(b, part...))
	}
	slices.SortFunc(out, func(a, b []byte) int { return len(b) - len(a) })
	return out
}

// together is the datagram of fragments, in whatever order they came; an error describes the defect.
func together(frames [][]byte) (d datagram, err error) {
	parts, sizes := map[int][]byte{}, 0
	for _, b := range frames {
		var at int
		var from, to netip.Addr
		ip := b[14:]
		switch be.Uint16(b[12:]) {
		case typeIP4:
			if checksum(ip[:20]) != 0 {
				return d, fmt.Errorf("a wrong checksum of %x", ip[:20])
			}
			at, from, to = int(be.Uint16(ip[6:])&0x1fff)*8, netip.AddrFrom4([4]byte(ip[12:16])), netip.AddrFrom4([4]byte(ip[16:20]))
			ip = ip[20:be.Uint16(ip[2:])]
		case typeIP6:
			at, from, to = int(be.Uint16(ip[42:])&^7), netip.AddrFrom16([16]byte(ip[8:24])), netip.AddrFrom16([16]byte(ip[24:40]))
			ip = ip[48 : 40+be.Uint16(ip[4:])]
		default:
			return d, fmt.Errorf("no fragment: %x", b)
		}
		d.dst, d.src = ofnet.MAC(b[:6]), ofnet.MAC(b[6:12])
		d.from, d.to = netip.AddrPortFrom(from, d.from.Port()), netip.AddrPortFrom(to, d.to.Port())
		parts[at] = ip
		sizes += len(ip)
	}
	all := append(slices.Clone(parts[0]), parts[firstPart]...)
	if len(all) != sizes || len(all) < 8 {
		return d, fmt.Errorf("%d bytes are there, and %d of them begin the datagram", sizes, len(all))
	}
	d.from, d.to, d.size = netip.AddrPortFrom(d.from.Addr(), be.Uint16(all)), netip.AddrPortFrom(d.to.Addr(), be.Uint16(all[2:])), len(all)-8
	if sum := checksum(frame{from: d.from.Addr(), to: d.to.Addr()}.pseudo(protoUDP, len(all)), all); sum != 0 || !bytes.Equal(all[8:], d.payload()) {
		return d, fmt.Errorf("checksum %#x over %d bytes, or they are not what was sent", sum, len(all))
	}
	return d, nil
}

// sendsLarge returns where the fragments of a datagram arrive, and what they are together; "" is nowhere.
func (l *serviceLab) sendsLarge(from *ofnet.Endpoint, d datagram, id uint16, order ...int) (where string, got datagram) {
	l.t.Helper()
	parts := d.fragments(id)
	for _, i := range order {
		l.send(l.t, fmt.Sprintf("p%d", from.Port), parts[i])
	}
	l.settle(l.t)
	for port := range l.sockets {
		var came [][]byte
		for b := l.receive(l.t, port); b != nil; b = l.receive(l.t, port) {
			came = append(came, b)
		}
		if len(came) == 0 {
			continue
		}
		if where != "" {
			l.t.Errorf("%v: it came at %s and %s", d, where, port)
		}
		var err error
		if where = port; port == nic {
			l.t.Fatalf("%v: it left by the tunnel", d)
		}
		if got, err = together(came); err != nil {
			l.t.Errorf("%v at %s, %d fragments: %v", d, port, len(came), err)
		}
		if l.lab.ovs.Kernel() { // what the kernel's tracker has put together passes, and is counted, as one
			p := l.passed[port]
			p.received -= uint64(len(came) - 1)
			l.passed[port] = p
		}
	}
	return where, got
}

// The first datagram of a connection to a service may be larger than a packet, and its fragments come in any order. The switch is used
// for nothing else: of each datagram in fragments that is dropped, Open vSwitch 3.1 keeps the last one, and adds it to what it forwards
// 15 s later.
func TestServiceFragments(t *testing.T) {
	l := newServiceLab(t)
	client, server := l.Endpoints.Get("c11"), l.Endpoints.Get("s1")
	for i, row := range []struct {
		vip   string
		order []int
	}{{"10.40.0.102", []int{0, 1}}, {"10.40.0.102", []int{1, 0}}, {"fd96::a", []int{0, 1}}, {"fd96::a", []int{1, 0}}} {
		vip, port := netip.MustParseAddr(row.vip), uint16(45000+i)
		ask := datagram{src: client.MAC, dst: routerMAC, from: netip.AddrPortFrom(address(client, vip), port), to: netip.AddrPortFrom(vip, 54), size: 2000}
		if where, _ := l.sendsLarge(client, ask, uint16(100+i), row.order...); where != "" {
			t.Errorf("%v, which is no port of the service: it is at %s", ask, where)
		}
		ask.to = netip.AddrPortFrom(vip, 53)
		want := ask
		want.src, want.dst, want.to = routerMAC, server.MAC, netip.AddrPortFrom(address(server, vip), 53)
		for again := range 2 {
			where, got := l.sendsLarge(client, ask, uint16(2*i+again+1), row.order...)
			if where != fmt.Sprintf("p%d", server.Port) || got != want {
				t.Errorf("%v, again %d, order %v: want %v, got it at %q as %v", ask, again, row.order, want, where, got)
			}
		}
		answer := datagram{src: server.MAC, dst: routerMAC, from: want.to, to: want.from, size: 2000}
		where, got := l.sendsLarge(server, answer, uint16(2*i+1), row.order...)
		want = datagram{src: routerMAC, dst: client.MAC, from: ask.to, to: ask.from, size: 2000}
		if where != fmt.Sprintf("p%d", client.Port) || got != want {
			t.Errorf("its answer: want %v, got it at %q as %v", want, where, got)
		}
	}
}
