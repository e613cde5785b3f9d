// SPDX-License-Identifier: Apache-2.0

package checksum_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/contiv/contiv/checksum"
)

type note struct {
	Name  string   `json:"name"`
	Hosts []string `json:"hosts,omitempty"`
}

// An object with its checksum is read as it was written, and no bit of it changes unnoticed: it is damaged, no JSON any more, or says the
// same.
func TestJSON(t *testing.T) {
	want := note{"h1", []string{"h2", "h3"}}
	text, err := checksum.JSON(want)
	if err != nil || checksum.CheckJSON(text) != nil {
		t.Fatal(err, checksum.CheckJSON(text))
	}
	read := func(text []byte) (out note, err error) { return out, json.Unmarshal(text, &out) }
	if got, err := read(text); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("want %+v, got %+v, %v", want, got, err)
	}
	for at := range text {
		for bit := range 8 {
			flipped := bytes.Clone(text)
			flipped[at] ^= 1 << bit
			if got, err := read(flipped); err == nil && checksum.CheckJSON(flipped) == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("bit %d of byte %d: got %+v without an error", bit, at, got)
			}
		}
		if got, err := read(text[:at]); err == nil && checksum.CheckJSON(text[:at]) == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("cut at %d: got %+v without an error", at, got)
		}
	}
}

// A text without a checksum is one of before, or a person's.
func TestCheckJSON(t *testing.T) {
	for _, row := range []struct {
		text    string
		damaged bool
	}{
		{`{"name": "h1"}`, false}, {"", false}, {"{\n  \"name\": \"h1\",\n  \"sum\": \"", true}, {"{\n  \"name\": \"h1\",\n  \"sum\": \"crc32c:00000000\"\n}\n", true},
	} {
		if err := checksum.CheckJSON([]byte(row.text)); errors.Is(err, checksum.ErrDamaged) != row.damaged {
			t.Errorf("%q: want damaged %t, got %v", row.text, row.damaged, err)
		}
	}
	if _, err := checksum.JSON(note{}.Hosts); err == nil {
		t.Error("a list: want an error")
	}
}
