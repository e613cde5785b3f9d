// SPDX-License-Identifier: Apache-2.0

package vswitchd

import (
	"fmt"
	"strconv"
	"strings"
)

// ZoneLimit is the maximum and the current number of connections of a tracker zone.
type ZoneLimit struct {
	Zone  uint16
	Limit uint32 // 0: the zone has no limit of its own
	Count uint32
}

// ParseZoneLimits parses the zones with a limit from the text of dpctl/ct-get-limits.
func ParseZoneLimits(text string) (out []ZoneLimit, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "default limit=") {
			continue
		}
		var l ZoneLimit
		for part := range strings.SplitSeq(line, ",") {
			key, value, _ := strings.Cut(part, "=")
			n, err := strconv.ParseUint(value, 10, 32)
			switch {
			case err != nil:
				return nil, fmt.Errorf("limit of a zone %.100q: %s: got %q, want a number", line, key, value)
			case key == "zone" && n < 1<<16:
				l.Zone = uint16(n)
			case key == "limit":
				l.Limit = uint32(n)
			case key == "count":
				l.Count = uint32(n)
			default:
				return nil, fmt.Errorf("limit of a zone %.100q: %q is neither zone, limit nor count", line, part)
			}
		}
		out = append(out, l)
	}
	return out, nil
}

// RefusedConnections returns the number of connections that a Linux kernel's tracker has refused, which /proc/net/stat/nf_conntrack
// counts: the sum of column drop over its lines, one per processor, in hexadecimal.
func RefusedConnections(stat string) (n uint64, err error) {
	column := -1
	for line := range strings.Lines(stat) {
		words := strings.Fields(line)
		if column < 0 {
			for i, w := range words {
				if w == "drop" {
					column = i
				}
			}
			if column < 0 {
				return 0, fmt.Errorf("statistics of the tracker: got columns %.200q, want one named drop", line)
			}
			continue
		}
		if len(words) <= column {
			return 0, fmt.Errorf("statistics of the tracker: line %.200q has no column %d", line, column)
		}
		one, err := strconv.ParseUint(words[column], 16, 64)
		if err != nil {
			return 0, fmt.Errorf("statistics of the tracker: drop: got %.40q, want a hexadecimal number", words[column])
		}
		n += one
	}
	return n, nil
}
