// SPDX-License-Identifier: Apache-2.0

package app

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/page"
)

// binding is what keys do.
type binding struct {
	key.Binding
	do func(m *Model, key string) tea.Cmd
}

// bind declares keys, divided by blanks.
func bind(keys, does string, do func(m *Model, key string) tea.Cmd) binding {
	return binding{key.NewBinding(key.WithKeys(strings.Fields(keys)...), key.WithHelp(keys, does)), do}
}

// findKeyName is the key of the search, on pages that take all other keys, too.
const findKeyName = "ctrl+p"

// globalKeys work on every page.
func globalKeys() []binding {
	var digits []string
	for i := range page.Numbered() {
		digits = append(digits, page.NumberKey(i))
	}
	numbers := bind(strings.Join(digits, " "), "", func(m *Model, key string) tea.Cmd {
		m.visit(page.Numbered()[slices.Index(digits, key)].Make())
		return nil
	})
	numbers.SetHelp("0-9", "go to a page; the last lines and the help have the numbers")
	return []binding{
		numbers,
		bind(":", "go to a page by name, such as networks, flows/HOST/TABLE or endpoint/ID:yaml; tab completes", (*Model).ask),
		bind(findKeyName, "find objects, addresses, MACs, ports, labels, containers, pods and hosts; enter opens one, tab completes", (*Model).find),
		bind("@", "go to an earlier moment: a time, or a duration before now such as 2h; also :at TIME, and :now returns", (*Model).ask),
		bind("/", "filter by a regular expression; a leading ! inverts", (*Model).ask),
		bind("?", "this help", func(m *Model, _ string) tea.Cmd { m.help = newHelp(m); return nil }),
		bind("esc", "end the filter, or go back", func(m *Model, _ string) tea.Cmd {
			if m.filter != nil {
				m.filter = nil
			} else {
				m.move(m.at - 1)
			}
			return nil
		}),
		bind("-", "previous page, next page", func(m *Model, _ string) tea.Cmd {
			m.swap()
			return nil
		}),
		bind("[ ]", "back and forward in the history", func(m *Model, key string) tea.Cmd {
			m.move(m.at + strings.Index("[ ]", key) - 1)
			return nil
		}),
		bind("!", "go to the reported problem", func(m *Model, _ string) tea.Cmd { m.goToProblem(); return nil }),
		bind("c", "copy the netctl command of the last line (OSC 52)", func(m *Model, _ string) tea.Cmd {
			m.notice = "copied (if the terminal allows it): " + m.command()
			return tea.SetClipboard(m.command())
		}),
		bind("|", "show or hide the page of the selected row beside a list, from 160 columns on", func(m *Model, _ string) tea.Cmd {
			m.pane.hidden = !m.pane.hidden
			return nil
		}),
		bind("ctrl+t", "use the mouse in the console (scroll, select, sort, change pages) or in the terminal", func(m *Model, _ string) tea.Cmd {
			if m.mouse = !m.mouse; m.mouse {
				m.notice = "the mouse controls the console; ctrl+t returns it to the terminal"
			} else {
				m.notice = "the mouse selects text in the terminal"
			}
			return nil
		}),
		bind("q", "quit", func(*Model, string) tea.Cmd { return tea.Quit }),
	}
}

// ask opens the prompt.
func (m *Model) ask(kind string) tea.Cmd {
	m.prompt.start(kind)
	return nil
}

// press does what the first of bindings that has the key does; ok is false when none has it.
func (m *Model) press(of []binding, msg tea.KeyPressMsg) (cmd tea.Cmd, ok bool) {
	for _, b := range of {
		if key.Matches(msg, b.Binding) {
			return b.do(m, msg.String()), true
		}
	}
	return nil, false
}
