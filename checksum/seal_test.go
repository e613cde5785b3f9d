// SPDX-License-Identifier: Apache-2.0

package checksum_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/contiv/contiv/checksum"
)

// A sealed text gives its body back, and none of its bits changes unnoticed: one in the first letters makes it no sealed text, and no
// body either.
func TestSeal(t *testing.T) {
	body := []byte("{\"a\":1}\n")
	text := checksum.Seal("routes", 1, body)
	if got, err := checksum.Open("routes", 1, text); err != nil || !bytes.Equal(got, body) {
		t.Fatalf("want %q, got %q, %v", body, got, err)
	}
	for at := range text {
		for bit := range 8 {
			flipped := bytes.Clone(text)
			flipped[at] ^= 1 << bit
			if got, err := checksum.Open("routes", 1, flipped); err == nil && got[0] == '{' {
				t.Errorf("bit %d of byte %d: got %q without an error", bit, at, got)
			}
		}
		if got, err := checksum.Open("routes", 1, text[:at]); err == nil && len(got) > 0 && got[0] == '{' {
			t.Errorf("cut at %d: got %q without an error", at, got)
		}
	}
	if got, err := checksum.Open("routes", 1, body); err != nil || !bytes.Equal(got, body) {
		t.Errorf("of an earlier build: want it as it is, got %q, %v", got, err)
	}
	for _, other := range [][]byte{checksum.Seal("routes", 2, body), checksum.Seal("settings", 1, body)} {
		if _, err := checksum.Open("routes", 1, other); !errors.Is(err, checksum.ErrFormat) {
			t.Errorf("%q: want another format, got %v", other, err)
		}
	}
	if _, err := checksum.Open("routes", 1, []byte("contiv \n")); !errors.Is(err, checksum.ErrDamaged) {
		t.Errorf("half a line: want it damaged, got %v", err)
	}
}

// Open reads what comes from a disk.
func FuzzOpen(f *testing.F) {
	f.Add(checksum.Seal("routes", 1, []byte("{}")))
	f.Add([]byte("contiv "))
	f.Fuzz(func(t *testing.T, text []byte) {
		body, err := checksum.Open("routes", 1, text)
		if err == nil && bytes.HasPrefix(text, []byte("contiv ")) && !bytes.Equal(checksum.Seal("routes", 1, body), text) {
			t.Errorf("%q is not what is written", text)
		}
	})
}
