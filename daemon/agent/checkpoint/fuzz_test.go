// SPDX-License-Identifier: Apache-2.0

package checkpoint

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
)

// A file that no agent wrote is refused with an error, without a panic, and without more memory than its size. The part before the damage
// can be read again as a file of its own.
func FuzzScan(f *testing.F) {
	b := channel.Batch{Mark: channel.Mark{Revision: 1, Complete: 1}, Left: []channel.Shard{"tenant/x"},
		Updates: []channel.Update{{Shard: channel.Cluster, Items: []channel.Item{{Key: "k", Value: bytes.Repeat([]byte("v"), 2000), Revision: 1}}}}}
	file, sum := head()
	for range 2 {
		var batch []byte
		batch, sum = frame(&b, sum)
		file = append(file, batch...)
	}
	f.Add(file)
	f.Add(file[:len(file)-1])
	f.Add(slices.Concat(channel.EncodeUpdate(&b.Updates[0]), channel.EncodeMark(b.Mark, b.Left)))
	f.Fuzz(func(t *testing.T, file []byte) {
		n := 0
		err := scan(bytes.NewReader(file), func(*channel.Batch) { n++ })
		damage := new(DamageError)
		switch {
		case errors.As(err, &damage):
			if damage.Batches != n || damage.At > int64(len(file)) {
				t.Fatalf("of %d bytes %d batches were used, got %v", len(file), n, err)
			}
			again := 0
			if err := scan(bytes.NewReader(file[:damage.At]), func(*channel.Batch) { again++ }); n > 0 && (err != nil || again != n) {
				t.Fatalf("up to byte %d: want %d batches, got %d, %v", damage.At, n, again, err)
			}
		case err != nil && (n > 0 || !errors.Is(err, ErrFormat)):
			t.Fatalf("want a damage or another format, got %v behind %d batches", err, n)
		}
	})
}
