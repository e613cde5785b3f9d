// SPDX-License-Identifier: Apache-2.0

// Package peer tests whether packets of tunnels pass between two machines, before either is part of a cluster. One listens, and prints a
// code with which the other connects. The connection proves both: the code has a secret, and the fingerprint of the listener's
// certificate. Packets go only to the other end of this connection, a fixed number in each direction.
package peer

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/contiv/contiv/sanitize"
)

// Port is the UDP port of VXLAN (RFC 7348, section 5).
const Port = 4789

// Repeats is the number of packets of each size and direction.
const Repeats = 3

// Limits of a session.
const (
	smallPacket = 128              // bytes of a small IP packet
	waitTimeout = time.Second      // for packets that are on their way
	dialTimeout = 5 * time.Second  // of a connection and its handshake
	maxSession  = 15 * time.Second // duration
	maxMessage  = 16 << 10         // bytes of all messages of one end
	minMTU      = 576              // of IPv4 (RFC 791)
	maxMTU      = 9216
)

// Socket sends and receives packets of UDP port 4789 at this machine's tunnel address. It sees what the packet filter of the machine
// accepts.
type Socket interface {
	// Send sends one packet without fragmenting it. The error says so if the packet filter of this machine refuses it, or if it is larger
	// than the MTU of the interface.
	Send(to netip.Addr, payload []byte) error
	// Receive blocks until a packet arrives or the socket is closed.
	Receive() (from netip.Addr, payload []byte, err error)
	Close() error
}

// Direction is what passed in one direction.
type Direction struct {
	Small, Large int    // number of packets that arrived, of 3 each
	Error        string // why the sender could not send; "": it sent all
}

// Passes reports whether packets of both sizes passed.
func (d *Direction) Passes() bool { return d.Small > 0 && d.Large > 0 }

// Report is the result of a session, as both ends know it.
type Report struct {
	Peer      string // name of the other machine
	Address   netip.Addr
	Size      int           // of the large packets: the smaller MTU of both ends, in bytes
	Out, In   Direction     // to the peer, and from it
	Filter    string        // what the peer says that its packet filter drops, with the remedy
	ClockLead time.Duration // by which this machine's clock is ahead of the peer's
}

// Side describes one end.
type Side struct {
	Host string
	MTU  int // of the interface with the tunnel address
	Now  func() time.Time
	// Filter is what the packet filter of this machine drops, with the remedy; "": nothing that is known. The other end prints it.
	Filter string
}

// message is a message of either end, one JSON object.
type message struct {
	Secret string    `json:"secret,omitempty"`
	Host   string    `json:"host,omitempty"`
	MTU    int       `json:"mtu,omitempty"`
	Now    time.Time `json:"now,omitzero"`
	Filter string    `json:"filter,omitempty"`
	Key    []byte    `json:"key,omitempty"`   // of the packets' codes
	Sent   bool      `json:"sent,omitempty"`  // all packets are on their way
	Error  string    `json:"error,omitempty"` // why not all were sent
	Small  int       `json:"small,omitempty"` // packets that arrived
	Large  int       `json:"large,omitempty"`
	Done   bool      `json:"done,omitempty"`
}

// session is one end of a connection.
type session struct {
	conn   net.Conn
	decode *json.Decoder
	remote netip.Addr
	socket Socket
	key    []byte
	size   int
}

// newSession prepares an end. The remote address is that of the connection: nothing that the other end says changes it.
func newSession(ctx context.Context, conn net.Conn, socket Socket) (*session, error) {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(maxSession)
	if end, ok := ctx.Deadline(); ok && end.Before(deadline) {
		deadline = end
	}
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	return &session{conn: conn, decode: json.NewDecoder(io.LimitReader(conn, maxMessage)), remote: at.Addr().Unmap(), socket: socket}, nil
}

func (s *session) send(m message) error { return json.NewEncoder(s.conn).Encode(m) }

// maxText is the maximum length of a text of the other end, in bytes.
const maxText = 1000

// receive reads a message. It removes from texts what a terminal would interpret.
func (s *session) receive() (m message, err error) {
	err = s.decode.Decode(&m)
	for _, text := range []*string{&m.Host, &m.Error, &m.Filter} {
		*text = sanitize.Line(*text, maxText)
	}
	return m, err
}

// setSize sets the size of large packets from the MTUs of both ends.
func (s *session) setSize(own, other int) error {
	s.size = min(own, other, maxMTU)
	if s.size < minMTU {
		return fmt.Errorf("MTU: got %d, want at least %d", s.size, minMTU)
	}
	return nil
}

// Directions of packets, part of their codes.
const (
	toListener byte = 1
	toDialer   byte = 2
)

// headroom is the length of the headers of IP and UDP.
func headroom(a netip.Addr) int {
	if a.Is6() {
		return 40 + 8
	}
	return 20 + 8
}

// Layout of a payload: a VXLAN header without the flag of a valid VNI, which every tunnel endpoint drops (RFC 7348, section 5), the
// direction, the number, the size of the IP packet, and a code of these by the session's key.
const (
	atDirection = 8
	atNumber    = 9
	atSize      = 10
	atCode      = 12
	shortest    = atCode + sha256.Size
)

// payload makes the packet with a number.
func (s *session) payload(direction, number byte, size int) []byte {
	out := make([]byte, size-headroom(s.remote))
	out[atDirection], out[atNumber] = direction, number
	binary.BigEndian.PutUint16(out[atSize:], uint16(size))
	copy(out[atCode:], s.code(out))
	return out
}

// code authenticates a payload.
func (s *session) code(payload []byte) []byte {
	h := hmac.New(sha256.New, s.key)
	_, _ = h.Write(payload[:atCode])
	return h.Sum(nil)
}

// sendAll sends the packets of a direction, and returns the reason why not all were sent.
func (s *session) sendAll(direction byte) error {
	var first error
	for number := range byte(Repeats) {
		for _, size := range []int{smallPacket, s.size} {
			if err := s.socket.Send(s.remote, s.payload(direction, number, size)); err != nil && first == nil {
				first = fmt.Errorf("a packet of %d bytes: %w", size, err)
			}
		}
	}
	return first
}

// arrived counts different packets of a direction.
type arrived struct{ small, large [Repeats]bool }

func (a *arrived) counts() (small, large int) {
	for i := range Repeats {
		if a.small[i] {
			small++
		}
		if a.large[i] {
			large++
		}
	}
	return small, large
}

// collect counts packets until all have arrived, or stop is closed.
func (s *session) collect(direction byte, stop <-chan struct{}) (small, large int) {
	var a arrived
	packets := s.packets(stop)
	for {
		select {
		case p, ok := <-packets:
			if !ok {
				return a.counts()
			}
			if len(p) < shortest || p[atDirection] != direction || p[atNumber] >= Repeats || !hmac.Equal(p[atCode:shortest], s.code(p)) {
				continue
			}
			switch size := int(binary.BigEndian.Uint16(p[atSize:])); {
			case size != len(p)+headroom(s.remote):
			case size == smallPacket:
				a.small[p[atNumber]] = true
			case size == s.size:
				a.large[p[atNumber]] = true
			}
			if small, large = a.counts(); small == Repeats && large == Repeats {
				return small, large
			}
		case <-stop:
			return a.counts()
		}
	}
}

// packets returns the payloads from the remote address. It ends when the socket is closed, or stop is.
func (s *session) packets(stop <-chan struct{}) <-chan []byte {
	out := make(chan []byte)
	go func() {
		defer close(out)
		for {
			from, payload, err := s.socket.Receive()
			if err != nil {
				return
			}
			if from.Unmap() != s.remote {
				continue
			}
			select {
			case out <- payload:
			case <-stop:
				return
			}
		}
	}()
	return out
}

// errCode means that the other end does not have the code of this session.
var errCode = errors.New("the other machine does not have this code: copy it from contiv preflight --listen")
