package openflow

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// pulse is what a connection knows of its peer's life. Only bytes that come from the peer are a sign of it: what is written
// may lie in the socket's buffer of a process that is stopped.
//
// Silence is counted in looks, Options.Echo apart, and not by the clock: a program that was itself stopped for a minute has
// did not look more often in that time, and the peer is not to blame.
type pulse struct {
	received atomic.Bool  // bytes have come since the last look
	asked    atomic.Bool  // an echo request has been handed to the socket, or is about to, and nothing has come since
	due      atomic.Bool  // the writer at work is to put an echo request between its messages
	writing  atomic.Bool  // a write is under way: it blocks when the peer takes nothing
	missed   atomic.Int64 // looks in a row that found nothing although something was due
}

// reader notes what comes by r.
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

// writer notes how long writes to w take.
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

// look counts one look and returns how many in a row have found nothing; ask is true when the peer is to be asked now.
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

// Silent is for how long, about, the switch has sent nothing although it was asked; 0 while that is less than
// Options.Silence.
func (c *Conn) Silent() time.Duration {
	quiet := time.Duration(c.pulse.missed.Load()) * c.options.Echo
	if quiet < c.options.Silence {
		return 0
	}
	return quiet
}

// keepAlive asks for signs of life and ends the connection when none come.
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
			go func() { // a peer that takes nothing off the socket must not stop the looking
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

// echoDueLocked puts an echo request behind the message just written, when one is due.
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
