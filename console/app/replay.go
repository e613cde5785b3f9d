// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

const (
	replayTick = 100 * time.Millisecond // while a recording is played
	slowest    = 1.0 / 4
	fastest    = 64
)

// playback is where a recording is being played, and how fast.
type playback struct {
	player   *feed.Player
	at       time.Time // what is to be shown
	shown    time.Time // what is shown
	speed    float64
	paused   bool
	busy     bool // a look-up of a moment is in progress
	lastTick time.Time
	notice   string // why the recording ends where it ends
}

type (
	replayTickMsg time.Time
	seekedMsg     struct {
		at       time.Time
		snapshot *feed.Snapshot
	}
)

func newPlayback(p *feed.Player, at time.Time, note string) *playback {
	return &playback{player: p, at: at, shown: at, speed: 1, notice: note}
}

func nextReplayTick() tea.Cmd {
	return tea.Tick(replayTick, func(t time.Time) tea.Msg { return replayTickMsg(t) })
}

// tick moves on by the time since the last tick, and looks up what was shown then, unless that is still being done.
func (p *playback) tick(now time.Time) tea.Cmd {
	elapsed := min(max(0, now.Sub(p.lastTick)), time.Second)
	first := p.lastTick.IsZero()
	if p.lastTick = now; !p.paused && !first {
		p.seek(p.at.Add(time.Duration(float64(elapsed) * p.speed)))
	}
	return tea.Batch(nextReplayTick(), p.fetch())
}

// fetch looks the requested moment up in the background.
func (p *playback) fetch() tea.Cmd {
	if p.busy {
		return nil
	}
	p.busy = true
	player, at := p.player, p.at
	return func() tea.Msg { return seekedMsg{at, player.Seek(at)} }
}

// seek goes to a moment within the recording.
func (p *playback) seek(at time.Time) {
	if end := p.player.End(); at.After(end) {
		at = end
	}
	if begin := p.player.Begin(); at.Before(begin) {
		at = begin
	}
	p.at = at
}

// replayKeys work on every page while a recording is played.
func replayKeys() []binding {
	return []binding{
		bind("p", "pause or continue; at the end: restart", func(m *Model, _ string) tea.Cmd {
			p := m.replay
			if p.paused = !p.paused; !p.paused && !p.at.Before(p.player.End()) {
				p.at = p.player.Begin()
			}
			return p.fetch()
		}),
		bind("< >", "slower, faster: between a quarter and 64 times", func(m *Model, key string) tea.Cmd {
			factor := map[string]float64{"<": 0.5, ">": 2}[key]
			m.replay.speed = max(slowest, min(m.replay.speed*factor, fastest))
			return m.replay.fetch()
		}),
		bind(", .", "10 seconds back, forward", func(m *Model, key string) tea.Cmd {
			return m.replay.leap(map[string]time.Duration{",": -10 * time.Second, ".": 10 * time.Second}[key])
		}),
		bind("{ }", "one minute back, forward", func(m *Model, key string) tea.Cmd {
			return m.replay.leap(map[string]time.Duration{"{": -time.Minute, "}": time.Minute}[key])
		}),
		bind("@", "go to a time (15:04:05), an offset (90s), or an offset from the end (-10s)", (*Model).ask),
	}
}

// leap moves forward, or back, in the recording.
func (p *playback) leap(d time.Duration) tea.Cmd {
	p.seek(p.at.Add(d))
	return p.fetch()
}

// seeked shows a moment that was looked up, and looks up another if that was requested meanwhile.
func (m *Model) seeked(x seekedMsg) tea.Cmd {
	p := m.replay
	p.busy, p.shown = false, x.at
	m.snapshot, m.now = x.snapshot, x.at
	if p.paused && !p.at.Equal(x.at) {
		return p.fetch()
	}
	return nil
}

// goTo goes to the moment that a line names.
func (m *Model) goTo(line string) tea.Cmd {
	at, err := parsePosition(line, m.replay.player.Begin(), m.replay.player.End())
	if err != nil {
		m.notice = err.Error()
		return nil
	}
	m.replay.seek(at)
	return m.replay.fetch()
}

// bar shows the position in the recording, the time of day then, and the speed, on a line of width cells.
func (p *playback) bar(t *theme.Theme, width int) string {
	all, at := p.player.End().Sub(p.player.Begin()), p.shown.Sub(p.player.Begin())
	state := fmt.Sprintf("%s x%g", t.Glyphs.Play, p.speed)
	switch {
	case p.paused:
		state = t.Glyphs.Pause + " paused"
	case !p.at.Before(p.player.End()):
		state = t.Glyphs.Pause + " at the end"
	}
	text := fmt.Sprintf(" RECORDING  %s  %s  %s of %s  ", widget.Fit(t, state, 10), p.shown.Format(time.DateTime), formatOffset(at), formatOffset(all))
	if p.notice != "" && !p.at.Before(p.player.End()) {
		return t.Paint(theme.Warn, widget.Fit(t, text+p.notice, width))
	}
	room := max(0, width-widget.Width(text)-1)
	done := 0
	if all > 0 {
		done = int(float64(room) * float64(at) / float64(all))
	}
	done = max(0, min(done, room))
	return t.Paint(theme.Held, text) + t.Paint(theme.Held, strings.Repeat(t.Glyphs.Full, done)) + t.Paint(theme.Dim, strings.Repeat(t.Glyphs.Empty, room-done)) + " "
}

// formatOffset is a duration as minutes and seconds, or hours too.
func formatOffset(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// parsePosition parses a position in a recording: a time of RFC 3339, a time of day "15:04:05", or a duration after the start, or before
// the end with "-" in front. "" is the start.
func parsePosition(text string, begin, end time.Time) (time.Time, error) {
	if text == "" {
		return begin, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		at, err = timeOfDay(text, begin)
	}
	if err != nil {
		var d time.Duration
		if d, err = time.ParseDuration(text); err != nil {
			return time.Time{}, fmt.Errorf("position: got %q, want a time such as 2006-01-02T15:04:05Z or 15:04:05, or an offset such as 90s from the start, or -10s from the end", text)
		}
		if at = begin.Add(d); strings.HasPrefix(text, "-") {
			at = end.Add(d)
		}
	}
	if at.Before(begin) || at.After(end) {
		return time.Time{}, fmt.Errorf("%s is outside the recording, which ranges from %s to %s", at.Format(time.RFC3339), begin.Format(time.RFC3339), end.Format(time.RFC3339))
	}
	return at, nil
}

// timeOfDay is the first such time of day after the start.
func timeOfDay(text string, begin time.Time) (time.Time, error) {
	clock, err := time.Parse(time.TimeOnly, text)
	if err != nil {
		return time.Time{}, err
	}
	at := time.Date(begin.Year(), begin.Month(), begin.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, begin.Location())
	if at.Before(begin.Truncate(time.Second)) {
		at = at.AddDate(0, 0, 1)
	}
	if at.Before(begin) { // within the first second
		at = begin
	}
	return at, nil
}
