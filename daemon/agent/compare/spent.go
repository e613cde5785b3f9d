// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"slices"
	"time"
)

// spent is how long the last comparisons took, in a ring.
type spent struct {
	last [8]time.Duration
	n    int
}

// add notes a comparison.
func (s *spent) add(d time.Duration) {
	s.last[s.n%len(s.last)] = d
	s.n++
}

// cost is the time of a processor that a comparison takes: the lower quartile of the last ones. On a busy machine, the others waited for a
// processor, too.
func (s *spent) cost() time.Duration {
	known := slices.Sorted(slices.Values(s.last[:min(s.n, len(s.last))]))
	if len(known) == 0 {
		return 0
	}
	return known[(len(known)-1)/4]
}
