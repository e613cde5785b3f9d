// SPDX-License-Identifier: Apache-2.0

// Package checksum detects changed bits in a file: the text carries a checksum. It only detects damage: a writer of the file can forge the
// sum.
package checksum

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// ErrDamaged means that a text is not as it was written.
var ErrDamaged = errors.New("the text is damaged")

// castagnoli is CRC-32C: it detects every flipped bit and every run of up to 32 of them.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the checksum of a text in the form used in files: "crc32c:" and eight hexadecimal digits.
func Sum(text []byte) string { return fmt.Sprintf("crc32c:%08x", crc32.Checksum(text, castagnoli)) }

// sumLead is the start of the last member of an object with its checksum.
const sumLead = ",\n  \"sum\": \""

// JSON returns a value, a struct with members, as an indented object whose last member, sum, is the checksum of the rest. Readers that do
// not know the member ignore it.
func JSON(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	body, is := bytes.CutSuffix(text, []byte("\n}"))
	if !is {
		return nil, fmt.Errorf("checksum of %T: got %.40q, want an object with members", v, text)
	}
	return fmt.Appendf(body, "%s%s\"\n}\n", sumLead, Sum(text)), nil
}

// CheckJSON verifies the checksum of a text. It accepts a text without one, as earlier builds and people write it. The error is ErrDamaged.
func CheckJSON(text []byte) error {
	at := bytes.LastIndex(text, []byte(sumLead))
	if at < 0 {
		return nil
	}
	got, _, closed := bytes.Cut(text[at+len(sumLead):], []byte("\""))
	whole := append(bytes.Clone(text[:at]), "\n}"...)
	if want := Sum(whole); !closed || string(got) != want {
		return fmt.Errorf("%w: sum: got %.20q, want %q", ErrDamaged, got, want)
	}
	return nil
}
