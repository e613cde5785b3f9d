// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/recording"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Recorder is a recording that is being made. Its method does not block.
type Recorder interface {
	// State is how large it is, in bytes, whether it is full, and why it failed.
	State() (bytes int64, full bool, err error)
}

// recordingState draws the state of the recording that is being made.
func recordingState(t *theme.Theme, r Recorder, width int) string {
	bytes, full, err := r.State()
	text, role := fmt.Sprintf(" %s recording, %.1f MiB ", t.Glyphs.Dot, float64(bytes)/(1<<20)), theme.Held
	switch {
	case err != nil:
		text, role = " "+t.Glyphs.Cross+" not recorded: "+err.Error()+" ", theme.Bad
	case full:
		text, role = fmt.Sprintf(" %s the recording is full at %.1f MiB and has stopped; --record-limit raises the limit ", t.Glyphs.Cross, float64(bytes)/(1<<20)), theme.Warn
	}
	return t.Paint(role, text) + t.Paint(theme.Dim, strings.Repeat(t.Glyphs.Rule, max(0, width-widget.Width(text))))
}

// record makes a recording of what a feed receives.
func record(f *feed.Feed, o *options, base string) (*recording.Writer, error) {
	if o.recordLimit < 1 {
		return nil, fmt.Errorf("--record-limit: got %d MiB, want at least 1", o.recordLimit)
	}
	w, err := recording.Create(o.record, int64(o.recordLimit)<<20, recording.Header{Program: "console/" + build.Info().Version, Base: base, Started: time.Now()})
	if err == nil {
		f.Record(w.Put)
	}
	return w, err
}

// play makes the player of a recording, at the requested position.
func play(o *options) (*playback, error) {
	r, err := recording.Open(o.replay)
	if err != nil {
		return nil, err
	}
	p, err := feed.NewPlayer(r.Header.Base, r.Inputs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.replay, err)
	}
	at, err := parsePosition(o.at, p.Begin(), p.End())
	if err != nil {
		return nil, err
	}
	if o.once && o.at == "" {
		at = p.End()
	}
	return newPlayback(p, at, r.Warning), nil
}

// replayOptions refuses what a recording cannot do.
func (o *options) replayOptions() error {
	switch {
	case o.replay == "" && o.at != "" && (o.record != "" || o.write || o.serve != ""):
		return fmt.Errorf("--at shows the past, which does not change: remove --write, --record and --serve")
	case o.replay != "" && o.record != "":
		return fmt.Errorf("--replay and --record exclude each other: copy the recording instead")
	case o.replay != "" && o.write:
		return fmt.Errorf("--replay and --write exclude each other: a recording cannot be changed")
	case o.bundle != "" && (o.replay != "" || o.record != "" || o.write):
		return fmt.Errorf("--bundle shows a bundle, which does not change: remove --write, --record and --replay")
	}
	return nil
}

// showOnce shows the position of a recording at once: the only frame of --once.
func (p *playback) showOnce(m *Model) {
	m.seeked(seekedMsg{p.at, p.player.Seek(p.at)})
	p.paused = true
}
