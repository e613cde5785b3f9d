// SPDX-License-Identifier: Apache-2.0

package pathprobe

import "time"

// pathState is what is known of a path.
type pathState struct {
	known        time.Time // since when the path is needed
	loss         window
	held         []time.Time      // probes lost since the last one returned: loss, or the start of a silence
	back         time.Time        // when the last returned probe was sent
	perDirection *lossByDirection // nil: its agent was not queried
	trip         time.Duration

	silent       int       // consecutive probes that were not returned
	since        time.Time // the first of them
	over         time.Time // when the last silence ended
	answers      bool      // some were returned since known, by a switch of the agent's current version
	spoke        string    // that version, as in Liveness
	liveness     Liveness
	lastReceived time.Time // of a question from its agent

	wide    int // consecutive probes of full size that were not returned while small ones were
	largest int // packet that passes; 0: not measured
	narrow  direction

	selfTestFailed bool // the switch does not return this agent's own frames with the tag of the path

	due time.Time // of the next visit, if suspect
}

// lossByDirection is the loss in each direction, as counted by the other agent.
type lossByDirection struct{ there, home window }

// direction is the direction of a fault.
type direction int

const (
	unknown direction = iota
	going
	coming
)

// suspicious reports whether a path may not be healthy.
func (c *pathState) suspicious(now time.Time) bool {
	return c.selfTestFailed || c.silent > 0 || c.wide > 0 || len(c.held) > 0 || c.loss.count(now).lost > 0
}

// restart resets the losses. It keeps the fact that the path has carried packets.
func (c *pathState) restart() {
	c.silent, c.held, c.loss, c.perDirection = 0, nil, window{}, nil
	c.wide, c.largest, c.narrow = 0, 0, unknown
}

// record records the result of a visit that started at a time. Visits may overlap: an older result does not change a silence.
func (c *pathState) record(began time.Time, small, full *outcome) {
	if small.back == 0 {
		if began.Before(c.back) {
			return
		}
		if c.silent == 0 {
			c.since = began
		}
		c.silent += small.sent
		return // a silence is not counted as loss
	}
	c.answers, c.selfTestFailed, c.trip = true, false, small.trip()
	if full.back > 0 {
		c.wide, c.largest, c.narrow = 0, 0, unknown
	} else if full.sent > 0 {
		c.wide += full.sent
	}
	for _, s := range small.shots {
		switch {
		case s.back:
			c.passed(s.at)
		case !s.at.Before(c.over):
			c.held = append(c.held, s.at)
		}
	}
}

// passed records that a probe sent at a time was returned. Probes lost before it, at the start and the end of a silence, are no loss.
func (c *pathState) passed(at time.Time) {
	if c.silent == 0 || !at.Before(c.since) {
		if c.silent > 0 || len(c.held) >= silentLeast {
			c.over, c.held = at, nil
		}
		c.silent = 0
		for _, lost := range c.held {
			c.loss.add(lost, 1, 1)
		}
		c.held = nil
	}
	if at.After(c.back) {
		c.back = at
	}
	c.loss.add(at, 1, 0)
}
