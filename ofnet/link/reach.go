// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	ping "golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
	"golang.org/x/sys/unix"
)

// The outcomes of a packet that was sent.
const (
	Answered    = "answered"    // by its destination
	Refused     = "refused"     // by a TCP reset, or ICMP port unreachable: it arrived, but no program listens
	Unreachable = "unreachable" // reported by a router or by the container's own kernel
	Silent      = "silent"      // no answer in time
)

// Reached is the outcome for a packet.
type Reached struct {
	How      string
	Duration time.Duration // until the answer; if Silent, the time waited
	Reason   string        // the kernel's error, if Unreachable
}

// reachTries is the number of attempts for packets without a retransmission of their own, while no answer comes.
const reachTries = 3

// Reach sends a packet from within a container to an address and waits for the answer: it opens a TCP connection and closes it, or sends an
// empty UDP datagram or an ICMP echo request. It blocks until an answer comes, or ctx ends, which is no error. It returns ErrNoNamespace if
// the container is gone.
func (h *Host) Reach(ctx context.Context, path, protocol string, to netip.AddrPort) (Reached, error) {
	ns, err := h.container(path)
	if err != nil {
		return Reached{}, err
	}
	defer ns.Close()
	var send func(context.Context, netip.AddrPort) error
	switch protocol {
	case "tcp":
		send = connect
	case "udp":
		send = datagram
	case "icmp":
		send = echo
	default:
		return Reached{}, fmt.Errorf("packets of protocol %q are not sent", protocol)
	}
	began := time.Now()
	err = ns.Do(func() error { return send(ctx, to) })
	out := Reached{How: Answered, Duration: time.Since(began)}
	switch {
	case err == nil:
	case errors.Is(err, unix.ECONNREFUSED):
		out.How = Refused
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, unix.ETIMEDOUT), isTimeout(err):
		out.How = Silent
	case errors.Is(err, unix.EHOSTUNREACH), errors.Is(err, unix.ENETUNREACH), errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM), errors.Is(err, unix.EADDRNOTAVAIL):
		out.How, out.Reason = Unreachable, reason(err)
	default:
		return out, fmt.Errorf("send from %s to %s: %w", path, to, err)
	}
	return out, nil
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// reason is the kernel's text for an error.
func reason(err error) string {
	if number, ok := errors.AsType[unix.Errno](err); ok {
		return number.Error()
	}
	return err.Error()
}

// connect opens a TCP connection. It dials one address, so the socket is created on the calling thread.
func connect(ctx context.Context, to netip.AddrPort) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", to.String())
	if err == nil {
		_ = conn.Close()
	}
	return err
}

// datagram sends empty datagrams until an answer comes.
func datagram(ctx context.Context, to netip.AddrPort) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp", to.String())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return tries(ctx, conn, func() error {
		_, err := conn.Write(nil)
		return err
	}, func() (bool, error) {
		_, err := conn.Read(make([]byte, 1))
		return err == nil, err
	})
}

// echo sends ICMP echo requests (RFC 792, RFC 4443) until a reply comes to one of them.
func echo(ctx context.Context, to netip.AddrPort) error {
	network, request, reply, number := "ip4:icmp", ping.Type(ipv4.ICMPTypeEcho), ping.Type(ipv4.ICMPTypeEchoReply), 1
	if to.Addr().Is6() {
		network, request, reply, number = "ip6:ipv6-icmp", ipv6.ICMPTypeEchoRequest, ipv6.ICMPTypeEchoReply, 58
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, network, to.Addr().String())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	raw, ok := conn.(*net.IPConn)
	if !ok {
		return fmt.Errorf("a socket for %s is a %T", network, conn)
	}
	var id [2]byte
	_, _ = rand.Read(id[:]) // never fails
	mine := int(binary.BigEndian.Uint16(id[:]))
	message := ping.Message{Type: request, Body: &ping.Echo{ID: mine, Data: []byte("contiv why --probe")}}
	packet, err := message.Marshal(nil) // the kernel computes the checksum of ICMPv6
	if err != nil {
		return err
	}
	return tries(ctx, conn, func() error {
		_, err := conn.Write(packet)
		return err
	}, func() (bool, error) {
		buf := make([]byte, 1500)
		n, _, err := raw.ReadFrom(buf) // strips the header of IPv4, which Read keeps
		if err != nil {
			return false, err
		}
		got, err := ping.ParseMessage(number, buf[:n])
		if err != nil {
			return false, nil // of another program, truncated
		}
		body, ok := got.Body.(*ping.Echo)
		return ok && got.Type == reply && body.ID == mine, nil
	})
}

// tries sends and receives a few times within the time of ctx, until an answer is accepted. It ignores other packets.
func tries(ctx context.Context, conn net.Conn, send func() error, receive func() (enough bool, err error)) error {
	end, ok := ctx.Deadline()
	if !ok {
		end = time.Now().Add(time.Second)
	}
	each := time.Until(end) / reachTries
	var err error
	for i := range reachTries {
		if err = send(); err != nil {
			return err
		}
		_ = conn.SetReadDeadline(end.Add(-each * time.Duration(reachTries-1-i)))
		for enough := false; err == nil; {
			if enough, err = receive(); enough {
				return nil
			}
		}
		if !isTimeout(err) {
			return err
		}
	}
	return err
}
