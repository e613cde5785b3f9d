// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/flags"
)

// minHistory is how long the history of the store must be kept for watches that continue after an outage: landmarks assume it.
const minHistory = 10 * time.Minute

// Settings configure the compaction of the store's history.
type Settings struct {
	History time.Duration // how long netmaster keeps it, as of Check; 0: netmaster compacts nothing
	history string
}

// Register adds the flag.
func (s *Settings) Register(set *flags.Set) {
	set.String(&s.history, "store-compaction", "STORE_COMPACTION", DefaultHistory.String(), "how long an etcd beside netmaster keeps its history of changes when no one else has it compacted; 0s: netmaster never does")
}

// Check validates the flag.
func (s *Settings) Check() (err error) {
	if s.History, err = time.ParseDuration(s.history); err != nil || s.History != 0 && s.History < minHistory {
		return fmt.Errorf("--store-compaction %s: it is a duration of at least %s, or 0s", s.history, minHistory)
	}
	return nil
}
