// SPDX-License-Identifier: Apache-2.0

package channel_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
)

// A batch is read as it was written, whatever its size.
func TestRoundTrip(t *testing.T) {
	large := channel.Update{Shard: channel.Tenant("blue"), Full: true}
	for i := range 9000 {
		large.Items = append(large.Items, channel.Item{Key: fmt.Sprintf("/k/%05d", i), Value: []byte(strings.Repeat("v", 400)), Revision: uint64(i + 1)})
	}
	gone := channel.Update{Shard: channel.Kubernetes}
	for i := range 3000 {
		gone.Gone = append(gone.Gone, fmt.Sprintf("/contiv.io/state/kubernetes/service/%05d", i))
	}
	mark := channel.Mark{Revision: 9, Complete: 7, Landmark: channel.Landmark{Text: "x", Revision: 3}, Reset: true, Incarnation: "abc"}
	for _, row := range []struct {
		name string
		want channel.Batch
		most int // bytes of the stream
	}{
		{"only a mark", channel.Batch{Mark: mark}, 20},
		{"shards that are left", channel.Batch{Left: []channel.Shard{channel.Tenant("a"), channel.Host("h1")}, Mark: mark}, 60},
		{"a small change", channel.Batch{Updates: []channel.Update{{Shard: channel.Cluster, Items: []channel.Item{{Key: "k", Value: []byte("{}"), Revision: 5}}, Gone: []string{"a", "b"}}}, Mark: mark}, 60},
		{"an empty shard", channel.Batch{Updates: []channel.Update{{Shard: channel.Host("h1"), Full: true}}, Mark: mark}, 40},
		{"pieces, packed", channel.Batch{Updates: []channel.Update{large, gone}, Mark: mark}, 200_000},
	} {
		t.Run(row.name, func(t *testing.T) {
			var stream []byte
			for i := range row.want.Updates {
				stream = append(stream, channel.EncodeUpdate(&row.want.Updates[i])...)
			}
			stream = append(stream, channel.EncodeMark(row.want.Mark, row.want.Left)...)
			if len(stream) > row.most {
				t.Errorf("want %d bytes at most, got %d", row.most, len(stream))
			}
			r := channel.NewReader(bytes.NewReader(append(stream, stream...)))
			for range 2 {
				if got, err := r.Read(); err != nil || !reflect.DeepEqual(got, row.want) {
					t.Fatalf("want the same, got %d updates, %+v, %v", len(got.Updates), got.Mark, err)
				}
			}
			if _, err := r.Read(); !errors.Is(err, io.EOF) {
				t.Errorf("at the end: want EOF, got %v", err)
			}
			cut := channel.NewReader(bytes.NewReader(stream[:len(stream)-1]))
			if b, err := cut.Read(); err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && len(stream) > 30 {
				t.Errorf("cut off: want an error, got %+v, %v", b.Mark, err)
			}
		})
	}
}

// Malformed input is refused with a reason, without a panic and without allocating more than its size.
func FuzzReader(f *testing.F) {
	u := channel.Update{Shard: channel.Tenant("blue"), Full: true, Gone: []string{"g"}, Items: []channel.Item{{Key: "k", Value: []byte(strings.Repeat("v", 2000)), Revision: 1}}}
	f.Add(channel.EncodeUpdate(&u))
	f.Add(channel.EncodeMark(channel.Mark{Revision: 1 << 40, Complete: 2, Incarnation: "abc", Landmark: channel.Landmark{Text: "x", Revision: 3}}, []channel.Shard{"tenant/x"}))
	f.Add(append(channel.EncodeUpdate(&u), channel.EncodeMark(channel.Mark{Revision: 1}, nil)...))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := channel.NewReader(bytes.NewReader(stream))
		for {
			b, err := r.Read()
			if err != nil {
				return
			}
			var again []byte
			for i := range b.Updates {
				if b.Updates[i].Shard == "" {
					t.Fatal("want a name of each shard")
				}
				again = append(again, channel.EncodeUpdate(&b.Updates[i])...)
			}
			again = append(again, channel.EncodeMark(b.Mark, b.Left)...)
			same, err := channel.NewReader(bytes.NewReader(again)).Read()
			if err != nil || len(same.Updates) != len(b.Updates) || same.Mark != b.Mark {
				t.Fatalf("want %+v again, got %+v, %v", b, same, err)
			}
		}
	})
}

// BenchmarkUpdate measures encoding and decoding an update of the records of some rules, as each netmaster and agent does for each
// change.
func BenchmarkUpdate(b *testing.B) {
	u := channel.Update{Shard: channel.Tenant("blue")}
	for i := range 8 {
		u.Items = append(u.Items, channel.Item{Key: fmt.Sprintf("/contiv.io/state/rule/default:web:%d", i), Value: []byte(strings.Repeat("v", 250)), Revision: uint64(i + 1)})
	}
	mark := channel.EncodeMark(channel.Mark{Revision: 9, Complete: 9}, nil)
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			channel.EncodeUpdate(&u)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		text := append(channel.EncodeUpdate(&u), mark...)
		in := bytes.NewReader(text)
		r := channel.NewReader(in)
		for b.Loop() {
			in.Reset(text)
			if _, err := r.Read(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
