// SPDX-License-Identifier: Apache-2.0

package history

import (
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/flags"
)

// maxRecords limits the memory of the history to about 100 MB.
const maxRecords = 200000

// minAge is the minimum of Keep.Age.
const minAge = time.Minute

// Settings configure the size of the history.
type Settings struct {
	Keep // as of Check
	age  string
}

// Register adds the flags.
func (s *Settings) Register(set *flags.Set) {
	set.Int(&s.Records, "history-limit", "HISTORY_LIMIT", DefaultRecords, "how many transactions the history keeps")
	set.String(&s.age, "history-age", "HISTORY_AGE", DefaultAge.String(), "how long the history keeps them")
}

// Check validates the flags.
func (s *Settings) Check() (err error) {
	if s.Records < 1 || s.Records > maxRecords {
		return fmt.Errorf("--history-limit %d: it is a number from 1 to %d", s.Records, maxRecords)
	}
	if s.Age, err = time.ParseDuration(s.age); err != nil || s.Age < minAge {
		return fmt.Errorf("--history-age %s: it is a duration of at least 1m", s.age)
	}
	return nil
}
