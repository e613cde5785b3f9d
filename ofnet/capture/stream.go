// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// Types of blocks and of options (pcapng, sections 3.5 and 4), of those that Write writes.
const (
	blockSection   = 0x0a0d0d0a
	blockInterface = 1
	blockPacket    = 6 // enhanced

	byteOrder = 0x1a2b3c4d

	optionEnd        = 0
	optionComment    = 1
	optionResolution = 9

	nanoseconds = 9
)

// maxBlock is the maximum length in bytes of a block that Write writes: a frame and its description.
const maxBlock = MaxFrame + 4096

// Stream is a capture in the format of Write, read as it arrives.
type Stream struct {
	At string // the capture point: the comment of its interface

	from    io.ReadCloser
	in      *bufio.Reader
	section []byte // the blocks at the start of its file
	place   []byte
	block   []byte // the block read last
}

// Open reads the head of a capture that Write writes at the far end of from; it blocks until the head has arrived. The Stream closes from;
// after an error the caller must. Other files, which may be big-endian, use another time resolution or have several interfaces, are
// refused.
func Open(from io.ReadCloser) (*Stream, error) {
	s := &Stream{from: from, in: bufio.NewReaderSize(from, 16<<10)}
	for _, head := range []struct {
		kind uint32
		keep *[]byte
	}{{blockSection, &s.section}, {blockInterface, &s.place}} {
		kind, err := s.next()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err == nil && kind != head.kind {
			err = fmt.Errorf("want a block of type %#x, got one of type %#x", head.kind, kind)
		}
		if err != nil {
			return nil, fmt.Errorf("read the head of a capture: %w", err)
		}
		*head.keep = append([]byte(nil), s.block...)
	}
	if len(s.section) < 28 || binary.LittleEndian.Uint32(s.section[8:]) != byteOrder {
		return nil, errors.New("read the head of a capture: it is not little-endian pcapng")
	}
	comment, resolution := options(s.place)
	if resolution != nanoseconds {
		return nil, errors.New("read the head of a capture: it does not count nanoseconds")
	}
	s.At = comment
	return s, nil
}

// options reads the comment of a description of an interface, and the resolution of its times.
func options(place []byte) (comment string, resolution byte) {
	for rest := place[min(16, len(place)-4) : len(place)-4]; len(rest) >= 4; {
		code, length := binary.LittleEndian.Uint16(rest), int(binary.LittleEndian.Uint16(rest[2:]))
		rest = rest[4:]
		if code == optionEnd || length > len(rest) {
			break
		}
		switch {
		case code == optionComment:
			comment = string(rest[:length])
		case code == optionResolution && length == 1:
			resolution = rest[0]
		}
		rest = rest[min(len(rest), (length+3)&^3):]
	}
	return comment, resolution
}

// next reads a whole block into s.block. It returns io.EOF only between two blocks.
func (s *Stream) next() (kind uint32, err error) {
	head, err := s.in.Peek(8)
	if err != nil {
		if len(head) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, err
	}
	kind = binary.LittleEndian.Uint32(head)
	length := binary.LittleEndian.Uint32(head[4:])
	if length < 12 || length > maxBlock || length%4 != 0 {
		return 0, fmt.Errorf("a block of %d bytes is none of ours", length)
	}
	if cap(s.block) < int(length) {
		s.block = make([]byte, length)
	}
	s.block = s.block[:length]
	if _, err := io.ReadFull(s.in, s.block); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint32(s.block[length-4:]) != length {
		return 0, fmt.Errorf("a block of %d bytes ends as one of another length", length)
	}
	return kind, nil
}

// packet reads up to the next packet, which is valid until the next call.
func (s *Stream) packet() (packet, error) {
	for {
		kind, err := s.next()
		if err != nil {
			return nil, err
		}
		if kind != blockPacket {
			continue
		}
		p := packet(s.block)
		if len(p) < 32 || p.length() > len(p)-32 {
			return nil, errors.New("a packet is longer than its block")
		}
		return p, nil
	}
}

// more reports whether a part of the next packet has arrived already.
func (s *Stream) more() bool { return s.in.Buffered() > 0 }

// packet is an enhanced packet block (pcapng, section 4.3).
type packet []byte

// setInterface sets the packet's interface in the file.
func (p packet) setInterface(i int) { binary.LittleEndian.PutUint32(p[8:], uint32(i)) }

// time is when the packet was captured.
func (p packet) time() time.Time {
	high, low := binary.LittleEndian.Uint32(p[12:]), binary.LittleEndian.Uint32(p[16:])
	return time.Unix(0, int64(uint64(high)<<32|uint64(low))).UTC()
}

// length is the captured length of the frame in bytes.
func (p packet) length() int { return int(binary.LittleEndian.Uint32(p[20:])) }

// frame is the captured part of the Ethernet frame.
func (p packet) frame() []byte { return p[28 : 28+p.length()] }
