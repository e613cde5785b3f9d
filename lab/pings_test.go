// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestReadPings(t *testing.T) {
	answers := func(from, to int, without ...int) string {
		var out strings.Builder
		for n := from; n <= to; n++ {
			if !slices.Contains(without, n) {
				fmt.Fprintf(&out, "64 bytes from 10.1.1.2: icmp_seq=%d ttl=64 time=0.05 ms\n", n%sequences)
			}
		}
		return out.String()
	}
	for _, r := range []struct {
		name, text string
		lost       []int
		sent       int
		longest    int
	}{
		{"none", "PING 10.1.1.2 (10.1.1.2) 56(84) bytes of data.\n", nil, 0, 0},
		{"all", answers(1, 9), nil, 9, 0},
		{"the first, and two in a row", answers(1, 9, 1, 5, 6), []int{1, 5, 6}, 9, 2},
		{"late", answers(1, 4) + answers(6, 7) + answers(5, 5), nil, 7, 0},
		{"numbers that begin again", answers(1, 3*sequences+5, 7, sequences, 2*sequences+7), []int{7, sequences, 2*sequences + 7}, 3*sequences + 5, 1},
		{"late, of those before", answers(1, sequences+3, sequences-2) + answers(sequences-2, sequences-2), nil, sequences + 3, 0},
		{"a number that is none", answers(1, 2) + "icmp_seq=99999999999999999999\n", nil, 2, 0},
	} {
		if got := ReadPings(r.text); !slices.Equal(got.Lost, r.lost) || got.Sent != r.sent || got.Longest() != r.longest {
			t.Errorf("%s: got %v (%v), want %v of %d, %d in a row", r.name, got, got.Lost, r.lost, r.sent, r.longest)
		}
	}
}
