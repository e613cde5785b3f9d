// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// pulse tracks whether the peer of a connection is alive. Only bytes from the peer prove that: written bytes may stay in the socket's
// buffer of a stopped process.
//
// Silence is counted in looks, Options.Echo apart, and not by the clock: if this program itself was stopped for a minute, it has not looked
// more often in that time, and the peer is not at fault.
type pulse struct {
	received atomic.Bool  // bytes have come since the last look
	asked    atomic.Bool  // an echo request was written, or is about to be, and nothing has come since
	due      atomic.Bool  // the active writer must insert an echo request between its messages
	writing  atomic.Bool  // a write is in progress: it blocks if the peer reads nothing
	missed   atomic.Int64 // consecutive looks that found nothing although an answer was due
}

// reader records what r receives.
func (p *pulse) reader(r io.Reader) io.Reader { return received{p, r} }

type received struct {
	p *pulse
	r io.Reader
}

func (h received) Read(b []byte) (int, error) {
	n, err := h.r.Read(b)
	if n > 0 {
		h.p.received.Store(true)
		h.p.missed.Store(0)
	}
	return n, err
}

// writer records how long writes to w take.
func (p *pulse) writer(w io.Writer) io.Writer { return writing{p, w} }

type writing struct {
	p *pulse
	w io.Writer
}

func (w writing) Write(b []byte) (int, error) {
	w.p.writing.Store(true)
	defer w.p.writing.Store(false)
	return w.w.Write(b)
}

// look counts one look and returns the number of consecutive looks without a byte; ask reports whether an echo request is due now.
func (p *pulse) look() (missed int64, ask bool) {
	if p.received.Swap(false) {
		p.asked.Store(false)
		p.missed.Store(0)
		return 0, true
	}
	if p.asked.Load() || p.writing.Load() {
		missed = p.missed.Add(1)
	}
	return missed, !p.asked.Load()
}

// Silent returns approximately how long the switch has not answered; 0 while that is less than Options.Silence.
func (c *Conn) Silent() time.Duration {
	quiet := time.Duration(c.pulse.missed.Load()) * c.options.Echo
	if quiet < c.options.Silence {
		return 0
	}
	return quiet
}

// keepAlive sends echo requests and ends the connection if no answer comes.
func (c *Conn) keepAlive() {
	tick := time.NewTicker(c.options.Echo)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
		}
		missed, ask := c.pulse.look()
		if quiet := time.Duration(missed) * c.options.Echo; quiet >= c.options.Timeout {
			c.fail(fmt.Errorf("switch has been silent for %v", quiet))
			return
		}
		switch {
		case !ask:
		case c.write.TryLock():
			c.pulse.asked.Store(true)
			go func() { // a peer that reads nothing from the socket must not stop the looks
				defer c.write.Unlock()
				if c.putLocked(0, &Echo{}) == nil { // a failure ends the Conn
					_ = c.flushLocked()
				}
			}()
		default: // a long bundle, or a write that blocks
			c.pulse.due.Store(true)
		}
	}
}

// echoDueLocked writes an echo request after the current message if one is due.
func (c *Conn) echoDueLocked() error {
	if !c.pulse.due.CompareAndSwap(true, false) {
		return nil
	}
	if err := c.putLocked(0, &Echo{}); err != nil {
		return err
	}
	c.pulse.asked.Store(true)
	return c.flushLocked()
}
