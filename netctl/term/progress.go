// SPDX-License-Identifier: Apache-2.0

package term

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress shows on a terminal that a command still works: what it waits for, and for how long, on a line that its output replaces.
type Progress struct {
	mu    sync.Mutex
	to    io.Writer
	what  string
	shown bool // the line is on the terminal
	ended chan struct{}
	start time.Time
	now   func() time.Time
}

// progressAfter is how long a command works before it shows that it does, and progressInterval the time between two updates.
const (
	progressAfter    = time.Second
	progressInterval = 500 * time.Millisecond
)

// StartProgress shows what on a terminal after a second, until End. wait is time.After.
func StartProgress(to io.Writer, what string, now func() time.Time, wait func(time.Duration) <-chan time.Time) *Progress {
	p := &Progress{to: to, what: what, ended: make(chan struct{}), start: now(), now: now}
	first := wait(progressAfter)
	go func() {
		for next := first; ; next = wait(progressInterval) {
			select {
			case <-p.ended:
				return
			case <-next:
				p.draw()
			}
		}
	}()
	return p
}

// Describe changes what is shown.
func (p *Progress) Describe(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
}

func (p *Progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ended:
		return
	default:
	}
	p.shown = true
	fmt.Fprintf(p.to, "\r\x1b[K%s (%d s)", p.what, int(p.now().Sub(p.start).Seconds()))
}

// End removes the line. It may be called several times, and of nil.
func (p *Progress) End() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ended:
		return
	default:
		close(p.ended)
	}
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}

// Ending returns a writer that ends the progress before it writes.
func (p *Progress) Ending(w io.Writer) io.Writer { return &endingWriter{p, w} }

type endingWriter struct {
	p *Progress
	w io.Writer
}

// Write writes b. It blocks as the next writer does.
func (e *endingWriter) Write(b []byte) (int, error) {
	e.p.End()
	return e.w.Write(b)
}
