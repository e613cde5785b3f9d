// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Bandwidth is a rate of a net profile: a number of kilobits, megabits or gigabits per second, in powers of 1024.
type Bandwidth struct {
	Number uint64
	Unit   byte // 'k', 'm' or 'g'; 0 with Number 0: no limit
}

// ParseBandwidth parses texts of the format "bandwidth", such as "10 Mbps" or "500k"; "" is no limit.
func ParseBandwidth(text string) (Bandwidth, error) {
	if text == "" {
		return Bandwidth{}, nil
	}
	if !formats["bandwidth"].Accepts(text) {
		return Bandwidth{}, fmt.Errorf("bandwidth %q: it takes %s", text, formats["bandwidth"].Description)
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	number, err := strconv.ParseUint(text[:digits], 10, 32)
	if err != nil {
		return Bandwidth{}, fmt.Errorf("bandwidth %q: %w", text, err)
	}
	return Bandwidth{number, strings.ToLower(strings.TrimSpace(text[digits:]))[0]}, nil
}

// String returns the rate with its unit as Kbps, Mbps or Gbps; "" for no limit.
func (b Bandwidth) String() string {
	if b.Number == 0 {
		return ""
	}
	return strconv.FormatUint(b.Number, 10) + strings.ToUpper(string(b.Unit)) + "bps"
}

// Kilobits returns the rate in kilobits (1000 bits) per second; 0 for no limit.
func (b Bandwidth) Kilobits() uint64 {
	n := b.Number
	switch b.Unit {
	case 'g':
		n *= 1024
		fallthrough
	case 'm':
		n *= 1024
		fallthrough
	case 'k':
		n *= 1024
	}
	return n / 1000
}
