// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"errors"

	"github.com/contiv/contiv/ofnet"
)

// EtherProbe is the Ethernet type of a Probe: the first of those that IEEE 802 leaves to local experiments.
const EtherProbe = 0x88b5

// probeMagic is the start of a Probe; its last byte is the version.
const probeMagic = 0x63747601

// LeastProbe and MaxProbe bound the length of a Probe's frame without its tag, in bytes: the minimum of Ethernet, and the maximum MTU of a
// container.
const (
	LeastProbe = 60
	MaxProbe   = ethSize + 9216
)

const probeSize = 24 // after the Ethernet header

// ErrNotProbe is returned by ParseProbe for anything but a Probe.
var ErrNotProbe = errors.New("not a probe")

// Probe is a packet that agents exchange to measure the paths between their hosts.
type Probe struct {
	EthSrc, EthDst ofnet.MAC
	Session        uint64 // a random number of the sender: answers to other senders have another
	Seq            uint32 // of the question, within the session
	Received       uint32 // in an agent's answer: the number of questions of the session received so far; 0: a switch has returned the question
	Size           int    // of the frame without a tag
}

// Append writes the probe as an Ethernet frame of its size, which is limited to the bounds.
func (p Probe) Append(b []byte) []byte {
	size := min(max(p.Size, LeastProbe), MaxProbe)
	b = append(append(b, p.EthDst[:]...), p.EthSrc[:]...)
	b = be.AppendUint32(be.AppendUint16(b, EtherProbe), probeMagic)
	b = be.AppendUint64(be.AppendUint32(b, uint32(size)), p.Session)
	b = be.AppendUint32(be.AppendUint32(b, p.Seq), p.Received)
	return append(b, make([]byte, size-ethSize-probeSize)...)
}

// ParseProbe reads a frame without a tag. A truncated frame is no Probe.
func ParseProbe(b []byte) (p Probe, err error) {
	if len(b) < LeastProbe || be.Uint16(b[12:]) != EtherProbe || be.Uint32(b[ethSize:]) != probeMagic {
		return p, ErrNotProbe
	}
	body := b[ethSize+4:]
	size := be.Uint32(body)
	if size < LeastProbe || size > MaxProbe || int(size) > len(b) {
		return p, ErrNotProbe
	}
	copy(p.EthDst[:], b)
	copy(p.EthSrc[:], b[6:])
	p.Size, p.Session, p.Seq, p.Received = int(size), be.Uint64(body[4:]), be.Uint32(body[12:]), be.Uint32(body[16:])
	return p, nil
}
