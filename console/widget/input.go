// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/theme"
)

// Input is a line that the user types.
type Input struct{ model textinput.Model }

// NewInput makes an empty line.
func NewInput() Input {
	m := textinput.New()
	m.SetVirtualCursor(false)
	m.KeyMap.Paste = key.Binding{} // the terminal pastes
	m.Focus()
	return Input{m}
}

// Text is what has been typed.
func (i *Input) Text() string { return i.model.Value() }

// SetText replaces what has been typed.
func (i *Input) SetText(text string) {
	i.model.SetValue(text)
	i.model.CursorEnd()
}

// Update edits the line, by a key or by what the terminal pastes.
func (i *Input) Update(msg tea.Msg) {
	i.model, _ = i.model.Update(msg) // its commands are those of a cursor that blinks
}

// View draws the line with the cursor.
func (i *Input) View(t *theme.Theme) string {
	text, at := append([]rune(i.Text()), ' '), i.model.Position()
	line := string(text[:at]) + t.Paint(theme.Cursor, string(text[at]))
	return line + string(text[at+1:max(at+1, len(text)-1)])
}
