package frame

import (
	"errors"

	"github.com/contiv/contiv/ofnet"
)

// EtherProbe is the Ethernet type of a Probe: the first of those that IEEE 802 leaves to local experiments.
const EtherProbe = 0x88b5

// probeMagic begins a Probe; its last byte is the version.
const probeMagic = 0x63747601

// LeastProbe and MaxProbe bound a Probe's frame without its tag: what Ethernet carries at least, and what a container's MTU may be at most.
const (
	LeastProbe = 60
	MaxProbe   = ethSize + 9216
)

const probeSize = 24 // behind the Ethernet header

// ErrNotProbe is what ParseProbe returns for everything but a Probe.
var ErrNotProbe = errors.New("not a probe")

// Probe is what agents send one another to find out what the ways between their hosts carry.
type Probe struct {
	EthSrc, EthDst ofnet.MAC
	Session        uint64 // a number that the one who asks has drawn: answers to others are not its own
	Seq            uint32 // of the question, within the session
	Received       uint32 // in an agent's answer: how many questions of the session have come to it; 0: a switch has turned the question back
	Size           int    // of the frame without a tag
}

// Append writes the probe as an Ethernet frame of its size, which is brought within bounds.
func (p Probe) Append(b []byte) []byte {
	size := min(max(p.Size, LeastProbe), MaxProbe)
	b = append(append(b, p.EthDst[:]...), p.EthSrc[:]...)
	b = be.AppendUint32(be.AppendUint16(b, EtherProbe), probeMagic)
	b = be.AppendUint64(be.AppendUint32(b, uint32(size)), p.Session)
	b = be.AppendUint32(be.AppendUint32(b, p.Seq), p.Received)
	return append(b, make([]byte, size-ethSize-probeSize)...)
}

// ParseProbe reads a frame without a tag. One that is shorter than it was is none.
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
