// SPDX-License-Identifier: Apache-2.0

package pathprobe

import "time"

const (
	moment  = 250 * time.Millisecond // probes lost within one may have been lost by one event
	moments = 64                     // kept: those in which probes were sent
	lately  = time.Minute            // how long they count
)

// window counts recently sent and lost probes.
type window struct {
	slots [moments]slot
	next  int
}

type slot struct {
	at         int64 // milliseconds since 1970
	sent, lost uint16
}

// add counts probes that were sent now.
func (w *window) add(now time.Time, sent, lost int) {
	if sent <= 0 {
		return
	}
	last := &w.slots[(w.next+moments-1)%moments]
	if last.sent > 0 && now.UnixMilli()-last.at < moment.Milliseconds() {
		last.sent, last.lost = last.sent+uint16(sent), last.lost+uint16(max(lost, 0))
		return
	}
	w.slots[w.next] = slot{now.UnixMilli(), uint16(sent), uint16(max(lost, 0))}
	w.next = (w.next + 1) % moments
}

// count is the content of a window.
type count struct {
	sent, lost int
	times      int           // moments with losses
	over       time.Duration // since the first probe was sent
}

// count sums up the recent probes.
func (w *window) count(now time.Time) (c count) {
	for i := range w.slots {
		s := &w.slots[i]
		age := now.Sub(time.UnixMilli(s.at))
		if s.sent == 0 || age > lately {
			continue
		}
		c.sent, c.lost, c.over = c.sent+int(s.sent), c.lost+int(s.lost), max(c.over, age)
		if s.lost > 0 {
			c.times++
		}
	}
	return c
}

// percent is the share of lost probes.
func (c count) percent() float64 {
	if c.sent == 0 {
		return 0
	}
	return 100 * float64(c.lost) / float64(c.sent)
}

// The threshold of loss: a minimum of lost probes among a minimum of sent ones, and not all in one moment, as when a switch's ports change.
const (
	enoughProbes = 20
	lossPercent  = 2
	lossTimes    = 3
)

// lossy reports whether a path loses packets.
func (c count) lossy() bool {
	return c.sent >= enoughProbes && c.percent() >= lossPercent && c.times >= lossTimes
}
