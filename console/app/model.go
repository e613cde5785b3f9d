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

// Cluster is what the console does besides looking at snapshots. All but Ask block until an answer or ctx's end.
type Cluster interface {
	// Ask says what is to be asked again and again from now on. It does not block.
	Ask(questions []feed.Question)
	// Describe asks for an object with its operational state, as YAML.
	Describe(ctx context.Context, kind *model.Kind, key string) (string, error)
	// Put creates or changes an object.
	Put(ctx context.Context, o model.Object) error
	// Delete deletes an object.
	Delete(ctx context.Context, kind *model.Kind, key string) error
	// HandOver has the leader step down in favour of the master of an address.
	HandOver(ctx context.Context, to string) (model.Handover, error)
}

type (
	tick      time.Time
	ready     struct{} // something that was done at the desk can be fetched
	described struct {
		name, command, text string
		err                 error
	}
)

// Model is the root model. Update decides; what blocks is done by commands.
type Model struct {
	ctx      context.Context
	cluster  Cluster
	editor   []string // the program that edits files; nil: changes are not permitted
	theme    *theme.Theme
	light    *theme.Theme // to be taken when the terminal's background is light; nil: the theme was chosen
	desk     *widget.Desk // nil: everything is done at once
	snapshot *feed.Snapshot
	now      time.Time
	judged   judgement
	inks     inks

	width, height int
	pages         []page.Page // the history
	at            int         // the page shown
	last          page.Page   // the one before, for "-"
	filter        *widget.Filter
	prompt        prompt
	notice        string
	help          bool
	helpTop       int
	mouse         bool      // it is the console's; else the terminal's, to select text
	replay        *playback // of a recording; nil: the cluster is watched
	recorder      Recorder  // nil: nothing is recorded
}

// New makes the root model with its first page. The model draws a frame before the first snapshot.
// editor is the program that edits files, with its arguments; without one the console changes nothing.
func New(ctx context.Context, cluster Cluster, t *theme.Theme, first page.Page, now time.Time, editor ...string) *Model {
	return &Model{ctx: ctx, cluster: cluster, editor: editor, theme: t, snapshot: &feed.Snapshot{}, now: now, width: minWidth, height: minHeight, pages: []page.Page{first}}
}

// Aside has long work done by other goroutines from now on. They call ready when there is something to be fetched, which is
// done with the next message.
func (m *Model) Aside(ready func()) { m.desk = &widget.Desk{Ready: ready} }

// Init starts the clock that ages the data, and asks the terminal for its background.
func (m *Model) Init() tea.Cmd {
	start := []tea.Cmd{next()}
	if m.light != nil {
		start = append(start, tea.RequestBackgroundColor)
	}
	if m.replay != nil {
		start = append(start, nextBeat())
	}
	return tea.Batch(start...)
}

func next() tea.Cmd { return tea.Tick(time.Second, func(t time.Time) tea.Msg { return tick(t) }) }

// Update takes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	m.cluster.Ask(m.Questions(m.snapshot))
	return m, cmd
}

// Questions are what the page on the screen wants to know.
func (m *Model) Questions(s *feed.Snapshot) []feed.Question {
	if p, ok := m.page().(page.Asker); ok {
		return p.Questions(s)
	}
	return nil
}

func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case *feed.Snapshot:
		m.snapshot = msg
		m.now = later(m.now, msg.Heard)
	case tick:
		if m.replay == nil {
			m.now = time.Time(msg)
		}
		return next()
	case beat:
		return m.replay.beat(time.Time(msg))
	case played:
		return m.played(msg)
	case tea.BackgroundColorMsg:
		if m.light != nil && !msg.IsDark() {
			m.theme = m.light
		}
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case described:
		if m.notice = ""; msg.err != nil {
			m.notice = msg.err.Error()
			break
		}
		m.open(page.NewText(msg.name, msg.command, msg.text))
	case edited:
		m.edited(msg)
	case changed:
		m.changed(msg)
	case handedOver:
		m.handedOver(msg)
	case tea.KeyPressMsg:
		return m.key(msg.String())
	case tea.MouseWheelMsg:
		return m.wheel(msg.Button)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			return m.click(msg.X, msg.Y)
		}
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (m *Model) page() page.Page { return m.pages[m.at] }

func (m *Model) canvas() page.Canvas {
	return page.Canvas{Width: m.width, Height: max(1, m.height-frameLines), Theme: m.theme, Now: m.now, Filter: m.filter, Write: m.editor != nil, Desk: m.desk}
}

// key acts on a key: the prompt first, then what works everywhere, then the page.
func (m *Model) key(key string) tea.Cmd {
	if key == "ctrl+c" {
		return tea.Quit
	}
	m.notice = ""
	if m.prompt.open() {
		return m.answer(m.prompt.key(key, func(typed string) string { return complete(typed, m.snapshot) }))
	}
	if m.help {
		m.helpKey(key)
		return nil
	}
	if m.replay != nil && m.replay.key(key) {
		return m.replay.look()
	}
	if p, ok := m.page().(page.Claimer); ok && p.Claims(key) {
		return m.follow(m.page().Key(key, m.canvas(), m.snapshot))
	}
	switch key {
	case "q":
		return tea.Quit
	case "!":
		if e, ok := byName(page.Judge(m.snapshot, m.now).Page); ok {
			m.open(e.Make())
		}
	case "?":
		m.help, m.helpTop = true, 0
	case "c":
		m.notice = "copied, if the terminal permits it: " + m.page().Command()
		return tea.SetClipboard(m.page().Command())
	case "ctrl+t":
		m.mouse = !m.mouse
		m.notice = map[bool]string{true: "the mouse is the console's: ctrl+t gives it back to the terminal", false: "the mouse is the terminal's, to select text"}[m.mouse]
	case ":", "/":
		m.prompt.start(key)
	case "@":
		if m.replay != nil {
			m.prompt.start(key)
		}
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
	if a.Notice != "" {
		m.notice = a.Notice
	}
	switch {
	case a.Edit != nil:
		return m.edit(*a.Edit)
	case a.Change != nil:
		return m.carryOut(*a.Change)
	case a.HandOver != nil:
		return m.handOver(*a.HandOver)
	case a.Describe == nil:
		return nil
	}
	return m.describe(*a.Describe)
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
func (m *Model) answer(kind, line string, done bool) tea.Cmd {
	switch kind {
	case "@":
		if done && line != "" {
			return m.leap(line)
		}
		return nil
	case "/":
		// The filter works while it is typed; half an expression changes nothing.
		f, err := widget.NewFilter(line)
		if err == nil {
			m.filter = f
		} else if done {
			m.notice = err.Error()
		}
		return nil
	}
	if !done || line == "" {
		return nil
	}
	if line == "q" || line == "quit" {
		return tea.Quit
	}
	made, err := open(line)
	if err != nil {
		m.notice = err.Error()
		return nil
	}
	m.open(made)
	return nil
}
