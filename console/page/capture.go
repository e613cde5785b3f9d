// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// maxPackets bounds the packets that a page keeps: the last ones.
const maxPackets = 1000

// Packets are those of an end, which the console captures while their page is on the screen.
type Packets struct {
	Ask model.CaptureRequest

	at    []string // where they are captured; nil: netmaster has not answered
	lines []string // the last ones
	total int
	ended bool
	err   error // why it ended; nil: its time is over
}

// Wanted reports whether packets are to be captured: the capture has not ended by itself.
func (p *Packets) Wanted() bool { return !p.ended }

// Begun notes where packets are captured.
func (p *Packets) Begun(at []string) { p.at = at }

// Add adds packets, one per line.
func (p *Packets) Add(lines []string) {
	p.total += len(lines)
	p.lines = append(p.lines, lines...)
	if n := len(p.lines); n > maxPackets {
		p.lines = append([]string(nil), p.lines[n-maxPackets:]...)
	}
}

// End notes that the capture has ended, and why; nil: its time is over.
func (p *Packets) End(err error) { p.ended, p.err = true, err }

// state describes the capture in a line.
func (p *Packets) state(c Canvas) string {
	g := c.Theme.Glyphs
	switch {
	case p.err != nil:
		return c.Theme.Paint(theme.Bad, g.Cross+" "+widget.Bare(p.err.Error()))
	case p.ended:
		return c.Theme.Paint(theme.Held, fmt.Sprintf("%s the capture ended after %d packets; enter captures again", g.Half, p.total))
	case p.at == nil:
		return c.Theme.Paint(theme.Held, g.Half+" waiting for netmaster")
	}
	return c.Theme.Paint(theme.Good, fmt.Sprintf("%s capturing at %s: %d packets, newest first", g.Dot, widget.Bare(strings.Join(p.at, ", ")), p.total))
}

// view is the state and the packets, the newest first.
func (p *Packets) view(c Canvas, _ *feed.Snapshot) []string {
	out := append(widget.Wrap(p.state(c), c.Width, 2), "")
	for i := len(p.lines) - 1; i >= 0; i-- {
		line := p.lines[i]
		if len(p.at) == 1 { // the first line names it
			line = strings.Replace(line, p.at[0]+": ", "", 1)
		}
		if line = widget.Bare(line); c.Filter.Keeps(line) {
			out = append(out, widget.Wrap(line, c.Width, textIndent)...)
		}
	}
	return out
}

// Capture makes the page of the packets of a container or a group, an end of a why question.
func Capture(end string) *Page {
	p := &Packets{Ask: model.CaptureRequest{Of: end}}
	return &Page{Name: "packets of " + end, Live: true, Command: "netctl capture " + end, Packets: p, Body: &text{lines: p.view}, Keys: []Key{
		on("enter", "capture again, after the end of the capture", func(string, Canvas, *feed.Snapshot) Action {
			if p.ended {
				p.at, p.ended, p.err = nil, false, nil
			}
			return Action{}
		}).hint("enter", "capture again").while(func() bool { return p.ended }),
	}}
}
