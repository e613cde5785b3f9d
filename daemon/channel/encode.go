// SPDX-License-Identifier: Apache-2.0

package channel

import (
	"bytes"
	"compress/gzip"
	"io"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of the fields in message.proto.
const (
	messageUpdate, messageMark, messageLeft, messagePacked = 1, 2, 3, 4

	updateShard, updateFull, updateMore, updateItems, updateGone = 1, 2, 3, 4, 5

	itemKey, itemValue, itemRevision = 1, 2, 3

	markRevision, markComplete, markLandmark, markLandmarkRevision, markReset, markStep, markIncarnation = 1, 2, 3, 4, 5, 6, 7
)

// Bounds of written messages.
const (
	maxPiece    = 1 << 20 // bytes of the items of one message, without the last item
	packedLeast = 1 << 10 // minimum number of bytes worth packing
)

// packers is a pool of gzip writers. Each has a megabyte of tables, whose allocation takes many times as long as packing a short message.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the level is a valid one
	return w
}}

// EncodeUpdate returns the messages of an update. Long ones are packed. They may be sent to any number of agents.
func EncodeUpdate(u *Update) []byte {
	plain := appendUpdate(nil, u)
	if len(plain) < packedLeast {
		return plain
	}
	var packed bytes.Buffer
	w, _ := packers.Get().(*gzip.Writer)
	w.Reset(&packed)
	_, _ = w.Write(plain) // writing to memory does not fail
	_ = w.Close()
	w.Reset(io.Discard) // release the buffer
	packers.Put(w)
	return appendMessage(nil, protowire.AppendBytes(protowire.AppendTag(nil, messagePacked, protowire.BytesType), packed.Bytes()))
}

// EncodeMark returns the message of a mark, with the shards that no longer belong to the host.
func EncodeMark(m Mark, left []Shard) []byte {
	var body []byte
	for _, s := range left {
		body = appendText(body, messageLeft, string(s))
	}
	var mark []byte
	mark = appendNumber(mark, markRevision, m.Revision)
	mark = appendNumber(mark, markComplete, m.Complete)
	mark = appendText(mark, markLandmark, m.Landmark.Text)
	mark = appendNumber(mark, markLandmarkRevision, m.Landmark.Revision)
	mark = appendTruth(mark, markReset, m.Reset)
	mark = appendNumber(mark, markStep, m.Step)
	mark = appendText(mark, markIncarnation, m.Incarnation)
	return appendMessage(nil, appendBytes(body, messageMark, mark))
}

// appendUpdate appends an update as messages of about maxPiece bytes.
func appendUpdate(out []byte, u *Update) []byte {
	items, gone := u.Items, u.Gone
	for first := true; ; first = false {
		body := make([]byte, 0, min(u.Size(), maxPiece)+packedLeast)
		body = appendText(body, updateShard, string(u.Shard))
		body = appendTruth(body, updateFull, u.Full && first)
		for len(gone) > 0 && len(body) < maxPiece {
			body = appendText(body, updateGone, gone[0])
			gone = gone[1:]
		}
		for len(items) > 0 && len(body) < maxPiece {
			body = appendItem(body, &items[0])
			items = items[1:]
		}
		more := len(items)+len(gone) > 0
		body = appendTruth(body, updateMore, more)
		out = protowire.AppendVarint(out, uint64(protowire.SizeTag(messageUpdate)+protowire.SizeBytes(len(body))))
		out = appendBytes(out, messageUpdate, body)
		if !more {
			return out
		}
	}
}

// Size returns the approximate number of bytes of the unpacked update.
func (u *Update) Size() (n int) {
	const each = 16 // for tags, lengths and the revision
	for i := range u.Items {
		n += len(u.Items[i].Key) + len(u.Items[i].Value) + each
	}
	for _, key := range u.Gone {
		n += len(key) + each
	}
	return n
}

// appendItem appends an item as a field of an update.
func appendItem(out []byte, i *Item) []byte {
	n := protowire.SizeTag(itemKey) + protowire.SizeBytes(len(i.Key)) + protowire.SizeTag(itemValue) + protowire.SizeBytes(len(i.Value))
	if i.Revision != 0 {
		n += protowire.SizeTag(itemRevision) + protowire.SizeVarint(i.Revision)
	}
	out = protowire.AppendVarint(protowire.AppendTag(out, updateItems, protowire.BytesType), uint64(n))
	out = protowire.AppendString(protowire.AppendTag(out, itemKey, protowire.BytesType), i.Key)
	out = appendBytes(out, itemValue, i.Value)
	return appendNumber(out, itemRevision, i.Revision)
}

// appendMessage appends a message with its length before it.
func appendMessage(out, body []byte) []byte { return protowire.AppendBytes(out, body) }

func appendText(out []byte, field protowire.Number, text string) []byte {
	if text == "" {
		return out
	}
	return protowire.AppendString(protowire.AppendTag(out, field, protowire.BytesType), text)
}

func appendBytes(out []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, field, protowire.BytesType), value)
}

func appendNumber(out []byte, field protowire.Number, n uint64) []byte {
	if n == 0 {
		return out
	}
	return protowire.AppendVarint(protowire.AppendTag(out, field, protowire.VarintType), n)
}

func appendTruth(out []byte, field protowire.Number, is bool) []byte {
	if !is {
		return out
	}
	return appendNumber(out, field, 1)
}
