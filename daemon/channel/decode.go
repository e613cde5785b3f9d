// SPDX-License-Identifier: Apache-2.0

package channel

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// Bounds of messages.
const (
	maxMessage = 64 << 20 // bytes of one message
	maxBatch   = 1 << 30  // of the messages of one batch, unpacked
)

// Reader reads the batches of a stream. It is used by one goroutine.
type Reader struct {
	in       *bufio.Reader
	left     int           // remaining bytes of the batch
	unpacked gzip.Reader   // of the packed message, as is the next field
	pieces   *bufio.Reader // the messages in it; nil before the first
}

// NewReader makes a Reader of a stream.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(r, 64<<10)} }

// Read blocks until there is a whole batch. It returns io.EOF if the stream has ended between two batches.
func (r *Reader) Read() (b Batch, err error) {
	r.left = maxBatch
	d := decoder{batch: &b}
	for {
		if err := r.read(r.in, &d, true); err != nil {
			return Batch{}, err
		}
		if d.marked {
			if d.open {
				return Batch{}, errors.New("a batch ends within an update")
			}
			return b, nil
		}
		if !d.any {
			return Batch{}, errors.New("empty message")
		}
	}
}

// read reads one message, and those packed in it if allowed.
func (r *Reader) read(in *bufio.Reader, d *decoder, unpack bool) error {
	size, err := binary.ReadUvarint(in)
	switch {
	case err != nil:
		return err
	case size > maxMessage:
		return fmt.Errorf("message: got %d bytes, want at most %d", size, maxMessage)
	}
	if r.left -= int(size); r.left < 0 {
		return fmt.Errorf("batch: got more than %d bytes", maxBatch)
	}
	var body bytes.Buffer // it grows with the received bytes, not with the declared length
	switch n, err := io.CopyN(&body, in, int64(size)); {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("a message ends after %d of %d bytes: %w", n, size, io.ErrUnexpectedEOF)
	case err != nil:
		return err
	}
	packed, err := d.message(body.Bytes())
	if err != nil || packed == nil {
		return err
	}
	if !unpack {
		return errors.New("a packed message is packed in another")
	}
	return r.unpack(packed, d)
}

// unpack reads packed messages.
func (r *Reader) unpack(packed []byte, d *decoder) error {
	if err := r.unpacked.Reset(bytes.NewReader(packed)); err != nil {
		return err
	}
	if r.pieces == nil {
		r.pieces = bufio.NewReaderSize(nil, 64<<10)
	}
	r.pieces.Reset(&r.unpacked)
	for {
		switch err := r.read(r.pieces, d, false); {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// decoder builds a batch from messages.
type decoder struct {
	batch  *Batch
	open   bool // the last update continues
	marked bool // the batch is complete
	any    bool // a message was read
}

// message handles a message, and returns the messages packed in it.
func (d *decoder) message(body []byte) (packed []byte, err error) {
	err = fields(body, func(field protowire.Number, value []byte, _ uint64) error {
		d.any = true
		switch field {
		case messageUpdate:
			return d.update(value)
		case messageLeft:
			d.batch.Left = append(d.batch.Left, Shard(value))
		case messageMark:
			d.marked = true
			return d.mark(value)
		case messagePacked:
			packed = value
		}
		return nil
	})
	return packed, err
}

func (d *decoder) update(body []byte) error {
	u, more := Update{}, false
	err := fields(body, func(field protowire.Number, value []byte, n uint64) error {
		switch field {
		case updateShard:
			u.Shard = Shard(value)
		case updateFull:
			u.Full = n != 0
		case updateMore:
			more = n != 0
		case updateItems:
			i, err := decodeItem(value)
			if err != nil {
				return err
			}
			u.Items = append(u.Items, i)
		case updateGone:
			u.Gone = append(u.Gone, string(value))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if u.Shard == "" {
		return errors.New("an update names no shard")
	}
	if last := len(d.batch.Updates) - 1; d.open {
		before := &d.batch.Updates[last]
		if before.Shard != u.Shard || u.Full {
			return fmt.Errorf("an update of %s continues with one of %s", before.Shard, u.Shard)
		}
		before.Items, before.Gone = append(before.Items, u.Items...), append(before.Gone, u.Gone...)
	} else {
		d.batch.Updates = append(d.batch.Updates, u)
	}
	d.open = more
	return nil
}

func (d *decoder) mark(body []byte) error {
	m := &d.batch.Mark
	return fields(body, func(field protowire.Number, value []byte, n uint64) error {
		switch field {
		case markRevision:
			m.Revision = n
		case markComplete:
			m.Complete = n
		case markLandmark:
			m.Landmark.Text = string(value)
		case markLandmarkRevision:
			m.Landmark.Revision = n
		case markReset:
			m.Reset = n != 0
		case markStep:
			m.Step = n
		case markIncarnation:
			m.Incarnation = string(value)
		}
		return nil
	})
}

func decodeItem(body []byte) (i Item, err error) {
	err = fields(body, func(field protowire.Number, value []byte, n uint64) error {
		switch field {
		case itemKey:
			i.Key = string(value)
		case itemValue:
			i.Value = value
		case itemRevision:
			i.Revision = n
		}
		return nil
	})
	if err == nil && i.Key == "" {
		err = errors.New("an item has no key")
	}
	return i, err
}

// fields calls take with each field of a message: its bytes, or its number. It skips fields of other types.
func fields(body []byte, take func(field protowire.Number, value []byte, n uint64) error) error {
	for len(body) > 0 {
		field, kind, size := protowire.ConsumeTag(body)
		if size < 0 {
			return fmt.Errorf("a field: %w", protowire.ParseError(size))
		}
		body = body[size:]
		var value []byte
		var n uint64
		switch kind {
		case protowire.BytesType:
			value, size = protowire.ConsumeBytes(body)
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(body)
		default:
			if size = protowire.ConsumeFieldValue(field, kind, body); size >= 0 {
				body = body[size:]
				continue
			}
		}
		if size < 0 {
			return fmt.Errorf("field %d: %w", field, protowire.ParseError(size))
		}
		body = body[size:]
		if err := take(field, value, n); err != nil {
			return err
		}
	}
	return nil
}
