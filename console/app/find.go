// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// findPause is the time without a key after which a typed text is searched for.
const findPause = 150 * time.Millisecond

// findLines are the lines above the results.
const findLines = 2

// findMsg reports that a time without a key has passed since an edit.
type findMsg struct{ edit int }

// finder is the prompt of the search, with the results for its text below it.
type finder struct {
	input widget.Input
	edit  int    // number of the last edit
	text  string // that is searched for; "": none
	shown string // that the results in the table are of
	total int
	items []model.Found
	table widget.Table[*model.Found]
	next  findAction
}

// findAction is what follows once the text is answered, by the last key.
type findAction int

const (
	waits     findAction = iota
	opens                // the selected result
	completes            // the text
)

func newFinder() *finder { return &finder{input: widget.NewInput()} }

// find opens the prompt of the search.
func (m *Model) find(string) tea.Cmd {
	m.finder = newFinder()
	return nil
}

// question is the search for the text.
func (f *finder) question() feed.Question {
	return feed.Question{Topic: feed.Find, Key: f.text}
}

// update edits the text. The search for it starts after a pause, if no other edit follows.
func (f *finder) update(msg tea.Msg) tea.Cmd {
	before := f.input.Text()
	f.input.Update(msg)
	if f.input.Text() == before {
		return nil
	}
	f.edit++
	f.next = waits
	edit := f.edit
	return tea.Tick(findPause, func(time.Time) tea.Msg { return findMsg{edit} })
}

// paused starts the search if nothing was typed since an edit.
func (f *finder) paused(edit int) {
	if edit == f.edit {
		f.text = strings.TrimSpace(f.input.Text())
	}
}

// receive takes the answer to the search for the text, if there is one. Answers to earlier texts are not shown.
func (f *finder) receive(s *feed.Snapshot, now time.Time) {
	answer, _, ok := feed.Of[model.FindAnswer](s, f.question())
	switch {
	case f.text == "":
		f.table, f.shown, f.total, f.items = widget.Table[*model.Found]{}, "", 0, nil
	case ok && f.shown != f.text:
		f.table, f.shown, f.total, f.items = widget.Table[*model.Found]{Ranks: []int{2, 3, 1, 2, 1}}, f.text, answer.Total, answer.Items
		f.table.Show(widget.Source[*model.Found]{Version: f.text, Size: len(answer.Items), Load: func() widget.Content[*model.Found] { return found(answer.Items) }}, nil, now, nil)
	}
}

// found are the rows of an answer.
func found(items []model.Found) widget.Content[*model.Found] {
	c := widget.Content[*model.Found]{ID: (*model.Found).Ref, Row: func(f *model.Found) widget.Row {
		return widget.Row{Cells: []string{f.Kind, f.Key, f.Rank, f.Field + " " + f.Value, f.About}}
	}}
	for i := range items {
		c.Items = append(c.Items, &items[i])
	}
	return c
}

func foundHeaders() []string { return []string{"Kind", "Key", "Match", "Found", "About"} }

// findKey acts on a key while the search is open.
func (m *Model) findKey(msg tea.KeyPressMsg) tea.Cmd {
	f := m.finder
	f.receive(m.snapshot, m.now)
	switch msg.String() {
	case "esc":
		m.finder = nil
	case "enter", "tab":
		f.paused(f.edit)
		if f.next = opens; msg.String() == "tab" {
			f.next = completes
		}
		m.answerFound()
	case "up", "down", "pgup", "pgdown":
		f.next = waits
		f.table.Key(msg, foundHeaders(), m.canvas().Height-findLines-1, m.now)
	default:
		return f.update(msg)
	}
	return nil
}

// answerFound opens the selected result, or completes the text, once enter or tab was pressed and the text is answered.
func (m *Model) answerFound() {
	f := m.finder
	if f == nil || f.next == waits {
		return
	}
	f.receive(m.snapshot, m.now)
	if f.shown != f.text { // what was found for an earlier text does not count
		return
	}
	next := f.next
	f.next = waits
	item, ok := f.table.Selected()
	switch {
	case !ok:
	case next == opens:
		m.finder = nil
		m.visit(page.Found(item, m.snapshot))
	default:
		f.complete(item)
	}
}

// complete extends the text to what all names that begin with it have in common, or to the name of the selected result if that is not longer or another
// result than the best is selected.
func (f *finder) complete(selected *model.Found) {
	text := ""
	if selected == &f.items[0] {
		text = commonName(f.items, f.text)
	}
	if len(text) <= len(f.text) {
		text = nameFor(selected, f.text)
	}
	if text == f.text {
		return
	}
	f.input.SetText(text)
	f.edit++
	f.paused(f.edit)
}

// view draws the prompt, the state of the search, and the results.
func (f *finder) view(c page.Canvas, s *feed.Snapshot) []string {
	f.receive(s, c.Now)
	t := c.Theme
	lines := []string{" find " + f.input.View(t), " " + f.state(c, s)}
	if f.table.Len() > 0 {
		lines = append(lines, f.table.View(t, foundHeaders(), c.Width, c.Height-findLines, c.Now)...)
	}
	return lines
}

// state is how far the search is.
func (f *finder) state(c page.Canvas, s *feed.Snapshot) string {
	t, typed := c.Theme, strings.TrimSpace(f.input.Text())
	a := s.Answers[f.question()]
	switch {
	case typed == "":
		return t.Paint(theme.Dim, "a part of a name, an address, a MAC, a port such as tcp 80, a label such as app=db, or a host")
	case typed != f.text || a.Value == nil && a.Err == "":
		return t.Paint(theme.Held, "searching"+t.Glyphs.Ellipsis)
	case a.Value == nil:
		return t.Paint(theme.Bad, t.Glyphs.Cross+" "+a.Err)
	case f.total == 0:
		return t.Paint(theme.Dim, "nothing found")
	case f.total > f.table.Len():
		return t.Paint(theme.Dim, fmt.Sprintf("the best %d of %d", f.table.Len(), f.total))
	case f.total == 1:
		return t.Paint(theme.Dim, "1 result")
	}
	return t.Paint(theme.Dim, fmt.Sprintf("%d results", f.total))
}
