package pathprobe

import "time"

// condition is what is known of a way.
type condition struct {
	known   time.Time // since when the way is needed
	loss    window
	held    []time.Time // probes lost since the last that came back: loss, or the beginning of a silence
	back    time.Time   // when the last probe that came back was sent
	heardOf *located    // nil: its agent was not asked
	trip    time.Duration

	silent  int       // probes in a row that did not come back
	since   time.Time // the first of them
	over    time.Time // when the last silence ended
	answers bool      // some have come back since known, from a switch of the agent's version that it has now
	spoke   string    // that version, as Life has it
	life    Life
	heard   time.Time // when its agent asked this one last

	wide    int // probes of full size in a row that did not come back while small ones did
	largest int // packet that passes; 0: not looked for
	narrow  direction

	deaf bool // the switch does not hand over this agent's own frames with the tag of the way

	due time.Time // of the next visit, under suspicion
}

// located is what was lost in each direction, by what the other agent has heard.
type located struct{ there, home window }

// direction is where something is wrong.
type direction int

const (
	unknown direction = iota
	going
	coming
)

// suspicious says that a way may not be well.
func (c *condition) suspicious(now time.Time) bool {
	return c.deaf || c.silent > 0 || c.wide > 0 || len(c.held) > 0 || c.loss.count(now).lost > 0
}

// restart forgets what was lost. That the way has carried something stays known.
func (c *condition) restart() {
	c.silent, c.held, c.loss, c.heardOf = 0, nil, window{}, nil
	c.wide, c.largest, c.narrow = 0, 0, unknown
}

// note writes down what came of a visit that began at a time. Visits may overlap: what is older than what is known changes no silence.
func (c *condition) note(began time.Time, small, full *outcome) {
	if small.back == 0 {
		if began.Before(c.back) {
			return
		}
		if c.silent == 0 {
			c.since = began
		}
		c.silent += small.sent
		return // that nothing passes is no loss
	}
	c.answers, c.deaf, c.trip = true, false, small.trip()
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

// passed writes down that a probe that was sent at a time came back. What was lost before it, as a silence began and as it ended, is no loss.
func (c *condition) passed(at time.Time) {
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
