// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
)

// Clock compares this host's clock with those of netmasters.
type Clock struct {
	Host    string
	Masters func(ctx context.Context) []string // URLs of netmasters
	// Ask returns the time of the netmaster at a URL, by the second. It blocks until the netmaster answers, or ctx ends.
	Ask func(ctx context.Context, url string) (time.Time, error)
	Now func() time.Time
}

const (
	clockInterval      = 15 * time.Second
	clockWait          = 2 * time.Second  // for the answer of one netmaster
	maxClockDifference = 30 * time.Second // of difference: well above the second of the answer and the way to it
	maxClocks          = 9                // netmasters that are asked
)

// Check looks every fifteen seconds.
func (c *Clock) Check() check.Check {
	return check.Check{Name: "clock", Interval: clockInterval, Look: c.look}
}

// look compares with the median of all netmasters that answer: one of them whose own clock is wrong blames no host. Of
// two in the middle that differ the nearer one counts. Without an answer nothing is known,
// which other findings say.
func (c *Clock) look(ctx context.Context) []model.Finding {
	ahead := c.differences(ctx)
	if len(ahead) == 0 {
		return nil
	}
	slices.Sort(ahead)
	low, high := ahead[(len(ahead)-1)/2], ahead[len(ahead)/2] // the same of an odd number
	difference, direction := time.Duration(0), ""
	switch {
	case low > 0:
		difference, direction = low, "ahead of"
	case high < 0:
		difference, direction = -high, "behind"
	}
	if difference < maxClockDifference {
		return nil
	}
	return []model.Finding{{Code: model.FindingClockDiffers, Severity: model.SeverityError, Object: "host/" + c.Host,
		Evidence: fmt.Sprintf("the clock of host %s is %s %s the clocks of netmasters: certificates may count for one and not for the other", c.Host, difference.Round(time.Second), direction),
		Remedy:   "set the clock of host " + c.Host + ", and keep it with NTP (timedatectl set-ntp true)", Next: "netctl node ls"}}
}

// differences are by how much this host's clock is ahead of that of each netmaster that answers.
func (c *Clock) differences(ctx context.Context) (ahead []time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, clockWait)
	defer cancel()
	urls := c.Masters(ctx)
	var mu sync.Mutex
	var wait sync.WaitGroup
	for _, url := range urls[:min(len(urls), maxClocks)] {
		wait.Go(func() {
			before := c.Now()
			there, err := c.Ask(ctx, url)
			if err != nil || c.Now().Sub(before) > clockWait { // a clock that was set meanwhile says nothing
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ahead = append(ahead, before.Round(0).Sub(there))
		})
	}
	wait.Wait()
	return ahead
}
