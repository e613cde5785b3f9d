// SPDX-License-Identifier: Apache-2.0

package checkpoint_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/agent/checkpoint"
	"github.com/contiv/contiv/daemon/channel"
)

// head is how many bytes come before the first batch; the last eight are the number of the format and the checksum.
const head = 28

// grown is a file of several batches, packed and plain: its bytes, where each batch ends, and what is known behind each. The first of both
// are of an empty file.
func grown(t *testing.T, random *rand.Rand) (file []byte, ends []int, known []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "records")
	f, _, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	note := func() {
		now, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(t.TempDir(), "records")
		if err := os.WriteFile(copied, now, 0o600); err != nil {
			t.Fatal(err)
		}
		g, saved, err := checkpoint.Open(copied)
		if err != nil {
			t.Fatal(err)
		}
		g.Close()
		file, ends, known = now, append(ends, len(now)), append(known, text(saved))
	}
	note()
	for i := range 5 {
		b := channel.Batch{Mark: at(uint64(i + 1))}
		for range 1 + random.IntN(3) {
			value := strings.Repeat(fmt.Sprint(random.IntN(10)), 1+random.IntN(40))
			if random.IntN(4) == 0 {
				value = strings.Repeat(value, 100) // it is packed
			}
			b.Updates = append(b.Updates, update(i == 0, nil, item(fmt.Sprint("k", random.IntN(4)), value, uint64(i+1))))
		}
		if err := f.Append(&b); err != nil {
			t.Fatal(err)
		}
		note()
	}
	return file, ends, known
}

// present opens a file of some bytes, and returns what of it is used.
func present(t *testing.T, path string, file []byte) (string, error) {
	t.Helper()
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	f, saved, err := checkpoint.Open(path)
	if f == nil {
		t.Fatalf("want a file, got %v", err)
	}
	f.Close()
	if again := open(t, path); text(again) != text(saved) {
		t.Errorf("want the file to have what is used (%s), got %s", text(saved), text(again))
	}
	return text(saved), err
}

// Whichever bit of a file flips, wherever it ends, and whichever batch is lost, doubled or of another file, an agent uses what came before,
// and nothing else.
func TestDamage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "records")
	for range 2 {
		file, ends, known := grown(t, random)
		whole := func(until int) string { // what the batches say that end there at the latest
			n, found := slices.BinarySearch(ends, until)
			if found {
				n++
			}
			if n == 0 {
				return " @0"
			}
			return known[n-1]
		}
		told := func(what string, at int, got string, err error) {
			t.Helper()
			damage := new(checkpoint.DamageError)
			if want := whole(at); got != want || !errors.As(err, &damage) || damage.At > int64(at) {
				t.Errorf("%s at %d: want %s and a damage there, got %s, %v", what, at, want, got, err)
			}
		}
		for range 150 {
			bit := random.IntN(8 * len(file))
			damaged := slices.Clone(file)
			damaged[bit/8] ^= 1 << (bit % 8)
			got, err := present(t, path, damaged)
			told(fmt.Sprintf("bit %d flipped", bit%8), bit/8, got, err)
		}
		for range 60 {
			cut := random.IntN(len(file))
			if cut == head || slices.Contains(ends, cut) {
				continue // what is left is whole
			}
			got, err := present(t, path, file[:cut])
			told("cut off", cut, got, err)
		}
		other, otherEnds, _ := grown(t, random)
		for n := 1; n+1 < len(ends); n++ {
			before, batch, after := file[:ends[n-1]], file[ends[n-1]:ends[n]], file[ends[n]:]
			got, err := present(t, path, slices.Concat(before, after))
			told("a batch lost", ends[n-1], got, err)
			got, err = present(t, path, slices.Concat(before, batch, batch, after))
			told("a batch doubled", ends[n], got, err)
			if n > 1 { // until there both are the same
				got, err = present(t, path, slices.Concat(before, other[otherEnds[n-1]:]))
				told("batches of another file", ends[n-1], got, err)
			}
		}
		got, err := present(t, path, append(slices.Clone(file), make([]byte, 4096)...))
		told("zeros behind it", len(file), got, err)
	}
}

// Files of builds before and after this one are forgotten, without a word of damage.
func TestOtherFormats(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records")
	u := update(true, nil, item("a", strings.Repeat("1", 3000), 1))
	old := slices.Concat(channel.EncodeUpdate(&u), channel.EncodeMark(at(1), nil))
	now, _, _ := grown(t, rand.New(rand.NewPCG(3, 4)))
	next := slices.Clone(now)
	binary.BigEndian.PutUint32(next[head-8:], 2)
	binary.BigEndian.PutUint32(next[head-4:], crc32.Checksum(next[:head-4], crc32.MakeTable(crc32.Castagnoli)))
	for name, file := range map[string][]byte{"of before": old, "of later": next} {
		if got, err := present(t, path, file); got != " @0" || !errors.Is(err, checkpoint.ErrFormat) {
			t.Errorf("%s: want nothing and ErrFormat, got %s, %v", name, got, err)
		}
	}
	damage := new(checkpoint.DamageError)
	for name, file := range map[string][]byte{"empty": nil, "rubbish": []byte("\xff\xff\xff\xff\x0fnot of ours"), "of before, cut off": old[:30]} {
		if got, err := present(t, path, file); got != " @0" || !errors.As(err, &damage) {
			t.Errorf("%s: want nothing and a damage, got %s, %v", name, got, err)
		}
	}
}

// A file that is damaged while an agent uses it is not used when it is written as a whole: what is appended would follow what is lost.
func TestDamageInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records")
	f, _, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 5000 {
		b := channel.Batch{Updates: []channel.Update{update(false, nil, item("c", fmt.Sprint(i, strings.Repeat("v", 900)), uint64(i)))}, Mark: at(uint64(i))}
		err = f.Append(&b)
		if err != nil {
			break
		}
		if i == 10 {
			file, _ := os.ReadFile(path)
			at := bytes.Index(file, []byte("5vvvv"))
			in, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := in.WriteAt([]byte("6"), int64(at)); err != nil {
				t.Fatal(err)
			}
			_ = in.Close()
		}
	}
	damage := new(checkpoint.DamageError)
	if _, missing := os.Stat(path); !errors.As(err, &damage) || !errors.Is(missing, os.ErrNotExist) {
		t.Errorf("want the damage reported and the file gone, got %v, %v", err, missing)
	}
}

// BenchmarkAppend adds a change of some records, and one that is packed.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{250, 25_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			f, _, err := checkpoint.Open(filepath.Join(b.TempDir(), "records"))
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			batch := channel.Batch{Updates: []channel.Update{update(false, nil, item("c", strings.Repeat("v", size), 1))}, Mark: at(1)}
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Append(&batch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
