// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"fmt"
	"regexp"
	"strconv"
)

// pinged matches the line that ping(8) prints for each answer.
var pinged = regexp.MustCompile(`icmp_seq=(\d+)`)

// sequences is the number of sequence numbers before they repeat (RFC 792: 16 bits).
const sequences = 1 << 16

// Pings are the results of pings, which count from 1.
type Pings struct {
	Sent int // the last answered one: those after it may have been in flight when the ping ended
	Lost []int
}

// ReadPings parses the output of ping(8).
func ReadPings(text string) (p Pings) {
	answered := map[int]struct{}{}
	for _, m := range pinged.FindAllStringSubmatch(text, -1) {
		sequence, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		n := unwrapped(p.Sent, sequence)
		answered[n], p.Sent = struct{}{}, max(p.Sent, n)
	}
	for n := 1; n <= p.Sent; n++ {
		if _, ok := answered[n]; !ok {
			p.Lost = append(p.Lost, n)
		}
	}
	return p
}

// Longest is the maximum number of consecutive losses.
func (p Pings) Longest() (longest int) {
	row := 0
	for i, n := range p.Lost {
		if i == 0 || n != p.Lost[i-1]+1 {
			row = 0
		}
		row++
		longest = max(longest, row)
	}
	return longest
}

func (p Pings) String() string {
	return fmt.Sprintf("%d of %d, at most %d in a row", len(p.Lost), p.Sent, p.Longest())
}

// unwrapped is the number of an answer: of those with its sequence number the one that is nearest to the last.
func unwrapped(last, sequence int) int {
	n := last - last%sequences + sequence
	switch {
	case n > last+sequences/2 && n >= sequences:
		return n - sequences
	case n < last-sequences/2:
		return n + sequences
	}
	return n
}
