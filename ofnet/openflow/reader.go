// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"encoding/binary"
	"fmt"
)

var be = binary.BigEndian

// reader reads fields of a message. The first missing field sets the error; all later fields are zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) read(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.b) {
		if r.err == nil {
			r.err = fmt.Errorf("message is cut off: %d bytes are left where %d are due", len(r.b), n)
		}
		return nil
	}
	x := r.b[:n]
	r.b = r.b[n:]
	return x
}

func (r *reader) skip(n int) { r.read(n) }

func (r *reader) u8() uint8 {
	if x := r.read(1); x != nil {
		return x[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if x := r.read(2); x != nil {
		return be.Uint16(x)
	}
	return 0
}

func (r *reader) u32() uint32 {
	if x := r.read(4); x != nil {
		return be.Uint32(x)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if x := r.read(8); x != nil {
		return be.Uint64(x)
	}
	return 0
}

// text reads a field of n bytes that holds a string ended by a zero byte.
func (r *reader) text(n int) string {
	x := r.read(n)
	for i, c := range x {
		if c == 0 {
			return string(x[:i])
		}
	}
	return string(x)
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// sub reads an element whose first 16 bits at offset at hold its whole length, which must be at least least.
func (r *reader) sub(what string, at, least int) []byte {
	if r.err != nil {
		return nil
	}
	if len(r.b) < at+2 {
		r.fail("%s is cut off: %d bytes are left", what, len(r.b))
		return nil
	}
	n := int(be.Uint16(r.b[at:]))
	if n < least || n > len(r.b) {
		r.fail("%s has length %d with %d bytes left", what, n, len(r.b))
		return nil
	}
	return r.read(n)
}
