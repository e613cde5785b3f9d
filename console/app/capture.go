// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/console/page"
)

const (
	longestPacket = 1024 // bytes of the line of a packet; the rest is dropped
	maxBatch      = 200  // lines that are taken at once
)

// capture is the stream of packets of the page on the screen.
type capture struct {
	packets *page.Packets
	end     context.CancelFunc
	stream  *client.Capture // nil: netmaster has not answered
	lines   *bufio.Reader
}

// capturedMsg is what has come of a capture.
type capturedMsg struct {
	of     *capture
	stream *client.Capture // of the first message
	lines  []string
	err    error // io.EOF: it ended
}

// followCapture captures what the page on the screen wants, and nothing else.
func (m *Model) followCapture() tea.Cmd {
	want := m.page().Packets
	if want != nil && !want.Wanted() {
		want = nil
	}
	if m.capture != nil && m.capture.packets == want {
		return nil
	}
	if m.capture != nil {
		m.capture.end()
		m.capture.packets.Begun(nil) // nothing is captured until netmaster answers again
		m.capture = nil
	}
	if want == nil {
		return nil
	}
	ctx, end := context.WithCancel(m.ctx)
	c := &capture{packets: want, end: end}
	m.capture = c
	return func() tea.Msg {
		stream, err := m.cluster.Capture(ctx, want.Ask)
		return capturedMsg{of: c, stream: stream, err: err}
	}
}

// captured adds packets to the page that they were captured for, and waits for the next ones.
func (m *Model) captured(msg capturedMsg) tea.Cmd {
	c := msg.of
	if msg.stream != nil {
		c.stream, c.lines = msg.stream, bufio.NewReaderSize(msg.stream, longestPacket)
	}
	if c != m.capture || msg.err != nil { // the page was left, or the capture has ended
		if c.end(); c.stream != nil {
			_ = c.stream.Close()
		}
		if c == m.capture {
			c.packets.Add(msg.lines)
			if errors.Is(msg.err, io.EOF) {
				msg.err = nil
			}
			c.packets.End(msg.err)
			m.capture = nil
		}
		return nil
	}
	if msg.stream != nil {
		c.packets.Begun(msg.stream.At)
	}
	c.packets.Add(msg.lines)
	return c.read
}

// read waits for packets, and returns those that have come.
func (c *capture) read() tea.Msg {
	msg := capturedMsg{of: c}
	for len(msg.lines) < maxBatch {
		line, more, err := c.lines.ReadLine()
		if msg.err = err; err != nil {
			break
		}
		msg.lines = append(msg.lines, string(line))
		for more && msg.err == nil {
			_, more, msg.err = c.lines.ReadLine()
		}
		ready, _ := c.lines.Peek(c.lines.Buffered())
		if msg.err != nil || !bytes.ContainsRune(ready, '\n') {
			break
		}
	}
	return msg
}
