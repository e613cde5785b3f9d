// Package checksum tells a text in a file that is as it was written from one in which bits have changed: the text carries a checksum. Damage is all that it is for: who may
// write such a file may forge the sum.
package checksum

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// ErrDamaged says that a text is not as it was written.
var ErrDamaged = errors.New("the text is damaged")

// castagnoli is CRC-32C: it finds every flipped bit and every run of up to 32 of them.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum is the checksum of a text as files have it: "crc32c:" and eight hexadecimal digits.
func Sum(text []byte) string { return fmt.Sprintf("crc32c:%08x", crc32.Checksum(text, castagnoli)) }

// sumLead begins the last member of an object that carries its checksum.
const sumLead = ",\n  \"sum\": \""

// JSON is a value, a struct with members, as an indented object whose last member, sum, is the checksum of the rest. Readers that do not know the
// member pass over it.
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

// CheckJSON compares the checksum that a text carries. One without, as earlier builds and people write it, is taken as it is. The error is ErrDamaged.
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
