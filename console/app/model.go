// Package app is the console's root: the frame around the pages, the keys that work everywhere, and the "contiv console"
// command.
package app

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// minWidth and minHeight are the smallest terminal that pages are drawn for.
const (
	minWidth, minHeight = 80, 24
	frameLines          = 6 // of the header and the footer
	historyLimit        = 100
)

// Describer asks the cluster for an object with its operational state. It blocks until an answer or ctx's end.
type Describer interface {
	Describe(ctx context.Context, kind *model.Kind, key string) (string, error)
}

type (
	tick      time.Time
	described struct {
		name, command, text string
		err                 error
	}
)

// Model is the root model. Update decides; what blocks is done by commands.
type Model struct {
	ctx      context.Context
	describe Describer
	theme    *theme.Theme
	snapshot *feed.Snapshot
	now      time.Time

	width, height int
	pages         []page.Page // the history
	at            int         // the page shown
	last          page.Page   // the one before, for "-"
	filter        *widget.Filter
	prompt        prompt
	notice        string
	help          bool
}

// New makes the root model with its first page. The model draws a frame before the first snapshot.
func New(ctx context.Context, d Describer, t *theme.Theme, first page.Page, now time.Time) *Model {
	return &Model{ctx: ctx, describe: d, theme: t, snapshot: &feed.Snapshot{}, now: now, width: minWidth, height: minHeight, pages: []page.Page{first}}
}

// Init starts the clock that ages the data.
func (m *Model) Init() tea.Cmd { return next() }

func next() tea.Cmd { return tea.Tick(time.Second, func(t time.Time) tea.Msg { return tick(t) }) }

// Update takes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case *feed.Snapshot:
		m.snapshot = msg
		m.now = later(m.now, msg.Heard)
	case tick:
		m.now = time.Time(msg)
		return m, next()
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case described:
		if m.notice = ""; msg.err != nil {
			m.notice = msg.err.Error()
			break
		}
		m.open(page.NewText(msg.name, msg.command, msg.text))
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	}
	return m, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (m *Model) page() page.Page { return m.pages[m.at] }

func (m *Model) canvas() page.Canvas {
	return page.Canvas{Width: m.width, Height: max(1, m.height-frameLines), Theme: m.theme, Now: m.now, Filter: m.filter}
}

// key acts on a key: the prompt first, then what works everywhere, then the page.
func (m *Model) key(key string) tea.Cmd {
	if key == "ctrl+c" {
		return tea.Quit
	}
	m.notice = ""
	if m.prompt.open() {
		m.answer(m.prompt.key(key))
		return nil
	}
	if m.help {
		m.help = false
		return nil
	}
	switch key {
	case "q":
		return tea.Quit
	case "?":
		m.help = true
	case ":", "/":
		m.prompt.start(key)
	case "esc":
		if m.filter != nil {
			m.filter = nil
		} else {
			m.move(m.at - 1)
		}
	case "[":
		m.move(m.at - 1)
	case "]":
		m.move(m.at + 1)
	case "-":
		if m.last != nil {
			m.open(m.last)
		}
	default:
		if e, ok := byNumber(key); ok {
			m.open(e.Make())
			return nil
		}
		return m.follow(m.page().Key(key, m.canvas(), m.snapshot))
	}
	return nil
}

func (m *Model) follow(a page.Action) tea.Cmd {
	if a.Go != nil {
		m.open(a.Go)
	}
	if a.Describe == nil {
		return nil
	}
	m.notice = "asking netmaster for " + a.Describe.Key
	ctx, d, command := m.ctx, *a.Describe, describeCommand(*a.Describe)
	return func() tea.Msg {
		text, err := m.describe.Describe(ctx, d.Kind, d.Key)
		return described{d.Key, command, text, err}
	}
}

// open shows a page and forgets what lay ahead in the history.
func (m *Model) open(p page.Page) {
	m.last = m.page()
	m.pages = append(m.pages[:m.at+1:m.at+1], p)
	if len(m.pages) > historyLimit {
		m.pages = m.pages[1:]
	}
	m.at, m.filter = len(m.pages)-1, nil
}

func (m *Model) move(to int) {
	if to < 0 || to >= len(m.pages) {
		return
	}
	m.last, m.at, m.filter = m.page(), to, nil
}

// answer acts on a finished line of the prompt.
func (m *Model) answer(kind, line string, done bool) {
	if kind == "/" {
		// The filter works while it is typed; half an expression changes nothing.
		f, err := widget.NewFilter(line)
		if err == nil {
			m.filter = f
		} else if done {
			m.notice = err.Error()
		}
		return
	}
	if !done || line == "" {
		return
	}
	e, ok := byName(line)
	if !ok {
		m.notice = "there is no page " + line + "; ? lists them"
		return
	}
	m.open(e.Make())
}
