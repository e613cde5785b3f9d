// SPDX-License-Identifier: Apache-2.0

package checkpoint

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/contiv/contiv/daemon/channel"
)

// The format of a file: a header, then the batches. The header is magic, the number of the format and a checksum of both. A batch is its
// length, a checksum and its messages, as in the channel, packed or not. Each checksum continues the previous one: it covers the whole file
// up to its position, so that no batch is accepted after a lost or duplicated one or one of another file. Numbers have four bytes, the most
// significant first.
const (
	// as the length of a message, with which files without a header begin, it is too large
	magic   = "\xff\xff\xff\xff\xffcontiv records\n"
	format  = 1
	sumSize = 4
	headLen = len(magic) + 4 + sumSize
)

// maxBatchSize bounds the messages of one batch, in bytes as stored.
const maxBatchSize = 1 << 30

// castagnoli is CRC-32C, for which processors have an instruction. It finds every flipped bit and every burst of up to 32 bits, and misses
// other damage once in four billion times. It protects only against damage: an account that may write the file may forge it, and is root on
// this host.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrFormat reports that the file is of a format that this build does not read, and that its contents are lost: one without checksums, of
// an earlier build, or one of a later build.
var ErrFormat = errors.New("the file is of another format, and is forgotten")

// DamageError is the position of damage in a file. Batches before it are used, none after it.
type DamageError struct {
	At      int64 // position of the first unused batch, in bytes
	Batches int   // number of used batches
	Why     error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("the file is damaged at byte %d, behind %d whole batches: what comes from there on is forgotten: %v", e.At, e.Batches, e.Why)
}

func (e *DamageError) Unwrap() error { return e.Why }

// head returns the header of a file, and its checksum.
func head() (text []byte, sum uint32) {
	text = binary.BigEndian.AppendUint32([]byte(magic), format)
	sum = crc32.Checksum(text, castagnoli)
	return binary.BigEndian.AppendUint32(text, sum), sum
}

// frame returns a batch in the format of the file, and its checksum, which continues another.
func frame(b *channel.Batch, before uint32) (text []byte, sum uint32) {
	var out bytes.Buffer
	out.Write(make([]byte, 4+sumSize))
	for i := range b.Updates {
		out.Write(channel.EncodeUpdate(&b.Updates[i]))
	}
	out.Write(channel.EncodeMark(b.Mark, b.Left))
	text = out.Bytes()
	binary.BigEndian.PutUint32(text, uint32(len(text)-4-sumSize))
	sum = chain(before, text[:4], text[4+sumSize:])
	binary.BigEndian.PutUint32(text[4:], sum)
	return text, sum
}

// chain returns the checksum of a batch that follows others.
func chain(before uint32, length, messages []byte) uint32 {
	return crc32.Update(crc32.Update(before, castagnoli, length), castagnoli, messages)
}

// scan calls take with each batch of a file, up to the first incomplete one. It returns ErrFormat, a *DamageError, or the error of the
// read.
func scan(from io.Reader, take func(*channel.Batch)) error {
	in := bufio.NewReaderSize(from, 64<<10)
	first, err := in.Peek(headLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	sum, err := parseHead(first, in)
	if err != nil {
		return err
	}
	r := &reader{in: in, at: int64(headLen), sum: sum}
	r.messages = channel.NewReader(&r.body)
	for n := 0; ; n++ {
		at := r.at
		b, err := r.read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return &DamageError{At: at, Batches: n, Why: err}
		}
		take(&b)
	}
}

// parseHead skips the header of a file, which begins with first, and returns its checksum.
func parseHead(first []byte, in *bufio.Reader) (sum uint32, err error) {
	if !bytes.HasPrefix(first, []byte(magic)) {
		if _, err := channel.NewReader(in).Read(); err == nil {
			return 0, fmt.Errorf("%w: an earlier build wrote it, without checksums", ErrFormat)
		}
		return 0, &DamageError{Why: errors.New("it does not begin as a file of an agent")}
	}
	if len(first) < headLen {
		return 0, &DamageError{Why: fmt.Errorf("it ends after %d of %d bytes of its head", len(first), headLen)}
	}
	text, is := first[:headLen-sumSize], binary.BigEndian.Uint32(first[headLen-sumSize:])
	if sum = crc32.Checksum(text, castagnoli); sum != is {
		return 0, &DamageError{Why: fmt.Errorf("checksum of the head: got %08x, want %08x", is, sum)}
	}
	if v := binary.BigEndian.Uint32(text[len(magic):]); v != format {
		return 0, fmt.Errorf("%w: it has format %d, this build reads %d", ErrFormat, v, format)
	}
	_, err = in.Discard(headLen)
	return sum, err
}

// reader reads batches.
type reader struct {
	in       io.Reader
	at       int64  // position in the file
	sum      uint32 // up to that position
	body     bytes.Buffer
	messages *channel.Reader // of body
}

// read reads a batch. It returns io.EOF after the last one.
func (r *reader) read() (b channel.Batch, err error) {
	var lead [4 + sumSize]byte
	if _, err = io.ReadFull(r.in, lead[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it ends within the length of a batch")
		}
		return b, err
	}
	length := int64(binary.BigEndian.Uint32(lead[:4]))
	if length > maxBatchSize {
		return b, fmt.Errorf("length of a batch: got %d bytes, want at most %d", length, maxBatchSize)
	}
	r.body.Reset() // it grows with the data, not with the declared length
	if n, err := io.CopyN(&r.body, r.in, length); err != nil {
		return b, fmt.Errorf("it ends after %d of %d bytes of a batch", n, length)
	}
	is := binary.BigEndian.Uint32(lead[4:])
	if r.sum = chain(r.sum, lead[:4], r.body.Bytes()); r.sum != is {
		return b, fmt.Errorf("checksum of a batch: got %08x, want %08x", is, r.sum)
	}
	if b, err = r.messages.Read(); err != nil {
		return b, fmt.Errorf("messages of a batch: %s", err) // their io.EOF is not the end of the file
	}
	if _, err = r.messages.Read(); !errors.Is(err, io.EOF) {
		return b, errors.New("more follows the messages of a batch")
	}
	r.at += int64(len(lead)) + length
	return b, nil
}
