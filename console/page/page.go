// SPDX-License-Identifier: Apache-2.0

// Package page has the console's screens: each is declared in one file, with its name, its keys, the command that prints the same, and its
// questions. A page receives keys and snapshots, draws itself, and shares nothing with other pages.
package page

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Canvas is what a page draws on.
type Canvas struct {
	Width, Height int
	Theme         *theme.Theme
	Now           time.Time
	Filter        *widget.Filter
	Write         bool               // changes are permitted
	Background    *widget.Background // nil: everything is done at once
	Beside        bool               // it is beside a list, which has the cursor
}

// Page is one screen. Its functions do not block. Keys and drawing may change its name and its command.
type Page struct {
	Name    string // the last crumb
	Command string // of netctl, that prints what the page shows
	// Asks are the questions that are repeated while the page is on the screen; nil: none.
	Asks    func(s *feed.Snapshot) []feed.Question
	Keys    []Key // beside those of the body
	Body    Body
	Editing bool // the page shows what was made of a draft
	Live    bool // the page shows what is known only for the present
	// Beside is the page of the selected row, which is shown beside the list where there is room, and the name of the row; nil: no row is
	// selected. Beside is nil of a page without such a list.
	Beside func(c Canvas, s *feed.Snapshot) (row string, of *Page)
	// Marked is how many rows are marked; nil: rows are not marked.
	Marked func(s *feed.Snapshot) int
	// Packets are captured while the page is on the screen; nil: none.
	Packets *Packets
	// Refused records why a change that the page requested was not made; nil: the page does not keep that.
	Refused func(why error)

	find func(s *feed.Snapshot) *Page // the page that this one is a placeholder for; nil: itself
}

// Body is what a page draws, and how keys move in it.
type Body interface {
	// View draws at most c.Height lines.
	View(c Canvas, s *feed.Snapshot) []string
	// Key acts on a key that is none of the page's.
	Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action
	// Keys are the body's keys, for the help.
	Keys() []Key
}

// clicker is a body that can be clicked: on a row, a line or a cell a click puts the cursor there, on a cell where the cursor is
// already it is enter, and on the header above rows it sorts. x and y count from the page's upper left cell.
type clicker interface {
	click(x, y int, c Canvas, s *feed.Snapshot) Action
}

// titled is a body whose title has more than the page's name.
type titled interface{ Title() string }

// Title is the page's name with the number of its rows and the position in them.
func (p *Page) Title() string {
	if t, ok := p.Body.(titled); ok {
		return p.Name + t.Title()
	}
	return p.Name
}

// narrowed is a body that hides columns for which the terminal is too narrow.
type narrowed interface{ Hidden() int }

// Hidden is the number of columns that the last drawing hid; ctrl+w shows them.
func (p *Page) Hidden() int {
	if n, ok := p.Body.(narrowed); ok {
		return n.Hidden()
	}
	return 0
}

// worker is a body that does long work in the background.
type worker interface{ Working() string }

// claimer is a body that takes keys which mean something else on other pages.
type claimer interface{ claims(key string) bool }

// Key is what keys do on a page.
type Key struct {
	key.Binding
	do   func(key string, c Canvas, s *feed.Snapshot) Action // nil: the body, or the console, acts on it
	over bool                                                // here it goes before what it does on every page
	tip  tip
}

// tip is a key and a word or two for what it does; empty for keys that only the help names.
type tip struct {
	key, word string
	write     bool        // it changes the cluster
	now       func() bool // whether the key does something now; nil: it always does
}

// hint has the line above the tabs name a key, and what it does in a word or two.
func (k Key) hint(key, word string) Key {
	k.tip = tip{key: key, word: word}
	return k
}

// hintWrite is hint for a key that changes the cluster.
func (k Key) hintWrite(key, word string) Key {
	k.tip = tip{key: key, word: word, write: true}
	return k
}

// while has the hint shown while now returns true.
func (k Key) while(now func() bool) Key {
	k.tip.now = now
	return k
}

// Hint is a key and a word or two for what it does; both are "" for keys that only the help names, and while the key does nothing. write is set where
// changes are permitted.
func (k Key) Hint(write bool) (key, word string) {
	if k.tip.write && !write || k.tip.now != nil && !k.tip.now() {
		return "", ""
	}
	return k.tip.key, k.tip.word
}

// on declares keys, divided by blanks, and what they do.
func on(keys, does string, do func(key string, c Canvas, s *feed.Snapshot) Action) Key {
	return Key{Binding: key.NewBinding(key.WithKeys(strings.Fields(keys)...), key.WithHelp(keys, does)), do: do}
}

// documented declares keys that something else acts on.
func documented(keys, does string) Key { return on(keys, does, nil) }

// Help is the page's keys, those of its body first.
func (p *Page) Help() []Key { return append(p.Body.Keys(), p.Keys...) }

// Claims reports whether a key which works on every page has another meaning here.
func (p *Page) Claims(msg tea.KeyPressMsg) bool {
	if b, ok := p.Body.(claimer); ok && b.claims(msg.String()) {
		return true
	}
	for _, k := range p.Keys {
		if k.over && key.Matches(msg, k.Binding) {
			return true
		}
	}
	return false
}

// Key acts on a key and returns what should follow; the zero Action: nothing.
func (p *Page) Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action {
	if b, ok := p.Body.(claimer); !ok || !b.claims(msg.String()) {
		for _, k := range p.Keys {
			if k.do != nil && key.Matches(msg, k.Binding) {
				return k.do(msg.String(), c, s)
			}
		}
	}
	return p.Body.Key(msg, c, s)
}

// Click acts on a click.
func (p *Page) Click(x, y int, c Canvas, s *feed.Snapshot) Action {
	if b, ok := p.Body.(clicker); ok {
		return b.click(x, y, c, s)
	}
	return Action{}
}

// Working is what is still being done in the background, such as "filtering"; what is shown is then as it was before.
func (p *Page) Working() string {
	if b, ok := p.Body.(worker); ok {
		return b.Working()
	}
	return ""
}

// Questions are the questions while the page is on the screen.
func (p *Page) Questions(s *feed.Snapshot) []feed.Question {
	if p.Asks == nil || p.Live && s.Past() {
		return nil
	}
	return p.Asks(s)
}

// asks is Asks of a page with constant questions.
func asks(questions ...feed.Question) func(*feed.Snapshot) []feed.Question {
	return func(*feed.Snapshot) []feed.Question { return questions }
}

// Action is what a page wants of the console.
type Action struct {
	Go       *Page          // show this page
	Edit     *Objects       // open the first of these in an editor
	Draft    []byte         // with Edit: the text to continue with; nil: the current object
	Change   *Change        // make this change
	HandOver *HandOver      // have the leader step down
	Shell    *feed.Endpoint // open a shell in its container
	Notice   string         // show this
}

// HandOver names the new leader.
type HandOver struct{ To string } // address of a master

// Objects names one or more objects of a kind.
type Objects struct {
	Kind *model.Kind
	Keys []string
}

// objectPage shows the page of objects.
func objectPage(k *model.Kind, keys ...string) Action { return open(Description(k, keys...)) }

// open shows a page.
func open(p *Page) Action { return Action{Go: p} }
