// SPDX-License-Identifier: Apache-2.0

package app

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// packets is the stream of a capture: each reading gives the next text, and after the last one err.
type packets struct {
	texts  []string
	err    error
	closed bool
}

func (p *packets) Read(to []byte) (int, error) {
	if len(p.texts) == 0 {
		return 0, p.err
	}
	n := copy(to, p.texts[0])
	if p.texts[0] = p.texts[0][n:]; p.texts[0] == "" {
		p.texts = p.texts[1:]
	}
	return n, nil
}

func (p *packets) Close() error {
	p.closed = true
	return nil
}

// capturing opens the packets of the first endpoint. step has the console take what its capture reads next.
func capturing(t *testing.T, stream io.ReadCloser) (m *Model, step func()) {
	t.Helper()
	s, now := fixed()
	m = New(t.Context(), &cluster{packets: stream}, mono(t, false), opened(t, "endpoints"), now)
	m.Update(s)
	press(m, "p")
	of := m.capture
	return m, func() { m.Update(of.read()) }
}

// TestCapture: packets appear as they come, the newest first; the end of the stream ends the capture, and enter begins another one.
func TestCapture(t *testing.T) {
	long := "10:00:03 " + strings.Repeat("x", 2*longestPacket) + "\n"
	m, step := capturing(t, &packets{texts: []string{"10:00:01 endpoint/acme:blue:db on h1: one\n10:00:02 two\n", long, "10:00:04 \x1b[2Jfour\n"}, err: io.EOF})
	shows := func(want ...string) {
		t.Helper()
		frame := Plain(m.Frame())
		for _, w := range want {
			if !strings.Contains(frame, w) {
				t.Errorf("want %q on the screen, got\n%s", w, frame)
			}
		}
	}
	shows("capturing at endpoint/acme:blue:db on h1: 0 packets", "netctl capture endpoint/acme:blue:db")
	step()
	shows("2 packets, newest first")
	if frame := Plain(m.Frame()); strings.Contains(frame, "capture again") {
		t.Errorf("want no hint at a key that does nothing yet, got\n%s", frame)
	}
	if frame := Plain(m.Frame()); strings.Index(frame, "10:00:02 two") > strings.Index(frame, "10:00:01 one") {
		t.Errorf("want the newest packet first, got\n%s", frame)
	}
	step()
	shows("3 packets")
	step()
	shows("4 packets", "10:00:04", "[2Jfour")
	step()
	shows("the capture ended after 4 packets; enter captures again", "capture again")
	press(m, "enter")
	shows("capturing at", "10:00:04")
}

// TestCaptureLeft: a capture ends when its page is left, and its packets stay on the page.
func TestCaptureLeft(t *testing.T) {
	stream := &packets{texts: []string{"10:00:01 one\n", "10:00:02 two\n"}, err: io.EOF}
	m, step := capturing(t, stream)
	step()
	press(m, "esc")
	if m.capture != nil {
		t.Error("want no capture when the page is left")
	}
	step()
	if !stream.closed {
		t.Error("want the stream closed")
	}
	if press(m, "]"); m.capture == nil || !strings.Contains(Plain(m.Frame()), "10:00:01 one") {
		t.Errorf("want the packets, and another capture, on the way back, got\n%s", Plain(m.Frame()))
	}
}

// TestCaptureRefused: the page shows why nothing is captured.
func TestCaptureRefused(t *testing.T) {
	m, _ := capturing(t, nil)
	if frame := Plain(m.Frame()); !strings.Contains(frame, "no agent captures") || m.capture != nil {
		t.Errorf("want the reason, got\n%s", frame)
	}
}

// TestPacketsBounded: a page keeps the last packets.
func TestPacketsBounded(t *testing.T) {
	m, _ := capturing(t, &packets{})
	for i := range 30 {
		lines := make([]string, 100)
		for n := range lines {
			lines[n] = fmt.Sprintf("packet %d", 100*i+n)
		}
		m.capture.packets.Add(lines)
	}
	m.capture.packets.End(errors.New("cut"))
	press(m, "G")
	if frame := Plain(m.Frame()); !strings.Contains(frame, "packet 2000") || strings.Contains(frame, "packet 1999") {
		t.Errorf("want the last 1000 packets, got\n%s", frame)
	}
}
