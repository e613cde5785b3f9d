// SPDX-License-Identifier: Apache-2.0

package record

import "testing"

func TestParseFormat(t *testing.T) {
	for text, want := range map[string]int{"": 1, `{"format":1}`: 1, `{"format":7,"later":"field"}`: 7, `{}`: 0, `{"format":-1}`: 0, `{"format":"1"}`: 0, `1`: 0, `null`: 0} {
		got, err := ParseFormat([]byte(text))
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
}
