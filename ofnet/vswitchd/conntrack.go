// SPDX-License-Identifier: Apache-2.0

package vswitchd

import (
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"strconv"
	"strings"
)

// Tuple is the source and destination of one direction of a connection. Ports are of TCP, UDP and SCTP; ICMP has a number, a type and a
// code.
type Tuple struct {
	Src, Dst         netip.Addr
	SrcPort, DstPort uint16
	ICMPID           uint16
	ICMPType         uint8
	ICMPCode         uint8
}

// Count is the number of packets and bytes in one direction.
type Count struct{ Packets, Bytes uint64 }

// Connection is one connection.
type Connection struct {
	Protocol    uint8 // of IP
	Orig, Reply Tuple // as the opening side sends, and as the other side answers
	// To and From are what the opening side has sent and received; nil: this tracker does not count.
	To, From *Count
	Zone     uint16
	Mark     uint32
	Label    [2]uint64 // bits 0 to 63, and 64 to 127
	State    string    // of TCP, as TIME_WAIT; "" of others
}

// Closed reports whether both ends have closed a TCP connection. Other connections end when their entry does.
func (e *Connection) Closed() bool {
	switch e.State {
	case "TIME_WAIT", "CLOSED", "CLOSE", "CLOSING", "LAST_ACK":
		return true
	}
	return false
}

// Opening reports whether the other end of a TCP connection has not answered yet.
func (e *Connection) Opening() bool {
	switch e.State {
	case "SYN_SENT", "SYN_SENT2", "LISTEN":
		return true
	}
	return false
}

// ErrMoreConnections is returned by Parse if a text has more connections than the limit.
var ErrMoreConnections = errors.New("the tracker has more connections")

// ParseConnections calls a function with each connection of a text, up to a limit; then it returns ErrMoreConnections. For a line that it
// cannot parse it returns an error that quotes it.
func ParseConnections(text string, most int, each func(e *Connection)) error {
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		if n++; n > most {
			return ErrMoreConnections
		}
		var e Connection
		if err := e.parse(line); err != nil {
			return fmt.Errorf("connection %.200q: %w", line, err)
		}
		each(&e)
	}
	return nil
}

// protocol parses the name that ovs-vswitchd has for a protocol, or its number.
func protocol(name string) (uint8, error) {
	switch name {
	case "icmp":
		return 1, nil
	case "igmp":
		return 2, nil
	case "tcp":
		return 6, nil
	case "udp":
		return 17, nil
	case "dccp":
		return 33, nil
	case "icmpv6":
		return 58, nil
	case "sctp":
		return 132, nil
	case "udplite":
		return 136, nil
	}
	n, err := strconv.ParseUint(name, 10, 8)
	return uint8(n), err
}

func (e *Connection) parse(line string) (err error) {
	name, rest, _ := strings.Cut(line, ",")
	if e.Protocol, err = protocol(name); err != nil {
		return fmt.Errorf("protocol: %w", err)
	}
	for rest != "" {
		var key, value string
		if key, value, rest, err = field(rest); err != nil {
			return err
		}
		if err := e.set(key, value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if !e.Orig.Src.IsValid() || !e.Reply.Src.IsValid() {
		return errors.New("it has no ends")
	}
	return nil
}

// field cuts "key=value," or "key=(...)," off a text.
func field(text string) (key, value, rest string, err error) {
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" || strings.ContainsAny(key, ",()") {
		return "", "", "", fmt.Errorf("%.40q has no name and value", text)
	}
	end := 0
	if strings.HasPrefix(value, "(") {
		if end = strings.IndexByte(value, ')'); end < 0 {
			return "", "", "", fmt.Errorf("the parenthesis of %s is open", key)
		}
		value, rest = value[1:end], value[end+1:]
	} else if end = strings.IndexByte(value, ','); end >= 0 {
		value, rest = value[:end], value[end:]
	}
	if rest != "" && rest[0] != ',' || rest == "," {
		return "", "", "", fmt.Errorf("%.40q follows %s", rest, key)
	}
	return key, value, strings.TrimPrefix(rest, ","), nil
}

func (e *Connection) set(key, value string) (err error) {
	var n uint64
	switch key {
	case "orig":
		e.To, err = e.Orig.parse(value)
	case "reply":
		e.From, err = e.Reply.parse(value)
	case "zone":
		n, err = strconv.ParseUint(value, 0, 16)
		e.Zone = uint16(n)
	case "mark":
		n, err = strconv.ParseUint(value, 0, 32)
		e.Mark = uint32(n)
	case "labels":
		e.Label, err = label(value)
	case "protoinfo":
		return e.state(value)
	case "id", "timeout", "status", "start", "stop", "helper", "parent":
	default:
		return errors.New("unknown field")
	}
	return err
}

// label reads a number of 128 bits in hexadecimal.
func label(text string) (out [2]uint64, err error) {
	digits, ok := strings.CutPrefix(text, "0x")
	n, good := new(big.Int).SetString(digits, 16)
	if !ok || !good || n.Sign() < 0 || n.BitLen() > 128 || len(digits) > 32 {
		return out, fmt.Errorf("%.40q is no label", text)
	}
	out[0] = new(big.Int).And(n, new(big.Int).SetUint64(1<<64-1)).Uint64()
	out[1] = new(big.Int).Rsh(n, 64).Uint64()
	return out, nil
}

// state parses the protocol's state: of TCP the state, or that of each end, of which it returns that of the opening side.
func (e *Connection) state(text string) error {
	for text != "" {
		key, value, rest, err := field(text)
		if err != nil {
			return err
		}
		if key == "state" || key == "state_orig" {
			e.State = value
		}
		text = rest
	}
	return nil
}

func (t *Tuple) parse(text string) (*Count, error) {
	var count *Count
	for text != "" {
		key, value, rest, err := field(text)
		if err != nil {
			return nil, err
		}
		text = rest
		var n uint64
		switch key {
		case "src":
			t.Src, err = netip.ParseAddr(value)
		case "dst":
			t.Dst, err = netip.ParseAddr(value)
		case "packets", "bytes":
			if count == nil {
				count = &Count{}
			}
			to := &count.Packets
			if key == "bytes" {
				to = &count.Bytes
			}
			*to, err = strconv.ParseUint(value, 10, 64)
		default:
			if n, err = strconv.ParseUint(value, 10, 16); err == nil {
				err = t.set(key, uint16(n))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	if !t.Src.IsValid() || !t.Dst.IsValid() || t.Src.Is4() != t.Dst.Is4() || t.Src.Zone() != "" || t.Dst.Zone() != "" {
		return nil, errors.New("it has no addresses of one family")
	}
	return count, nil
}

func (t *Tuple) set(key string, n uint16) error {
	switch key {
	case "sport":
		t.SrcPort = n
	case "dport":
		t.DstPort = n
	case "id":
		t.ICMPID = n
	case "type":
		t.ICMPType = uint8(n)
	case "code":
		t.ICMPCode = uint8(n)
	default:
		return errors.New("unknown field")
	}
	return nil
}
