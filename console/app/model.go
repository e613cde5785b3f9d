// SPDX-License-Identifier: Apache-2.0

// Package app is the console's root: the frame around the pages, the keys that work everywhere, and the "contiv console"
// command.
package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/client"
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
	// Ask sets the questions to repeat from now on. It does not block.
	Ask(questions []feed.Question)
	// Put creates or changes an object.
	Put(ctx context.Context, o model.Object) error
	// Delete deletes an object.
	Delete(ctx context.Context, kind *model.Kind, key string) error
	// Capture captures packets until the stream is closed or ctx ends; it blocks until netmaster has found where.
	Capture(ctx context.Context, ask model.CaptureRequest) (*client.Capture, error)
	// HandOver has the leader step down in favour of the master of an address.
	HandOver(ctx context.Context, to string) (model.Handover, error)
}

type (
	tickMsg  time.Time
	readyMsg struct{} // something that was done in the background can be fetched
)

// Model is the root model. Update decides; what blocks is done by commands.
type Model struct {
	ctx      context.Context
	cluster  Cluster
	editor   []string // the program that edits files; nil: changes are not permitted
	theme    *theme.Theme
	light    *theme.Theme       // to be taken when the terminal's background is light; nil: the theme was chosen
	work     *widget.Background // nil: everything is done at once
	snapshot *feed.Snapshot
	now      time.Time // of what is shown
	clock    time.Time // of the present
	goal     time.Time // the earlier moment that is to be shown; zero: the present
	capture  *capture  // nil: none
	checked  checked
	painted  painted

	width, height int
	pages         []*page.Page // the history
	at            int          // the page shown
	last          *page.Page   // the one before, for "-"
	filter        *widget.Filter
	filters       map[*page.Page]*widget.Filter // of the pages of the history that are not shown
	prompt        prompt
	personal      personal
	notice        string
	help          *help   // nil: it is not shown
	finder        *finder // nil: nothing is searched
	pane          pane
	pause         time.Duration // before the data of the pane is requested
	mouse         bool          // it is the console's; else the terminal's, to select text
	replay        *playback     // of a recording; nil: the cluster is watched
	recorder      Recorder      // nil: nothing is recorded
	bundle        string        // description of the support bundle that is shown; "": the cluster is
}

// New makes the root model with its first page. The model draws a frame before the first snapshot.
// editor is the program that edits files, with its arguments; without one the console changes nothing.
func New(ctx context.Context, cluster Cluster, t *theme.Theme, first *page.Page, now time.Time, editor ...string) *Model {
	return &Model{ctx: ctx, cluster: cluster, editor: editor, theme: t, snapshot: &feed.Snapshot{}, now: now, clock: now, width: minWidth, height: minHeight, pages: []*page.Page{first}}
}

// InBackground has long work done by other goroutines from now on. They call ready when there is something to be fetched, which
// is done with the next message.
func (m *Model) InBackground(ready func()) { m.work = &widget.Background{Ready: ready} }

// Init starts the clock that ages the data, and queries the terminal's background.
func (m *Model) Init() tea.Cmd {
	start := []tea.Cmd{next()}
	if m.light != nil {
		start = append(start, tea.RequestBackgroundColor)
	}
	if m.replay != nil {
		start = append(start, nextReplayTick())
	}
	return tea.Batch(start...)
}

func next() tea.Cmd { return tea.Tick(time.Second, func(t time.Time) tea.Msg { return tickMsg(t) }) }

// Update takes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.handle(msg)
	m.cluster.Ask(m.Questions(m.snapshot))
	return m, tea.Batch(cmd, m.await(), m.followCapture())
}

// Questions are what the page on the screen and the second line want to know.
func (m *Model) Questions(s *feed.Snapshot) []feed.Question {
	m.pages[m.at] = m.page().Found(s)
	out := m.page().Questions(s)
	if m.follow(s); m.pane.page != nil && m.pane.asks {
		out = append(out[:len(out):len(out)], m.pane.page.Questions(s)...)
	}
	if m.finder != nil && m.finder.text != "" {
		out = append(out[:len(out):len(out)], m.finder.question())
	}
	return append(out[:len(out):len(out)], page.HealthQuestion())
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case *feed.Snapshot:
		m.receive(msg)
		m.answerFound()
	case tickMsg:
		if m.replay == nil && m.bundle == "" {
			m.clock = time.Time(msg)
		}
		if m.replay == nil && m.bundle == "" && !m.snapshot.Past() {
			m.now = m.clock
		}
		return next()
	case replayTickMsg:
		return m.replay.tick(time.Time(msg))
	case seekedMsg:
		return m.seeked(msg)
	case tea.BackgroundColorMsg:
		if m.light != nil && !msg.IsDark() {
			m.theme = m.light
		}
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case editedMsg:
		m.edited(msg)
	case changedMsg:
		m.changed(msg)
	case shellMsg:
		m.shellEnded(msg)
	case capturedMsg:
		return m.captured(msg)
	case handedOverMsg:
		m.done(msg.asked, msg.err, fmt.Sprintf("%s is the leader, and accepted writes after %.0f ms", msg.outcome.To, msg.outcome.Millis))
	case findMsg:
		if m.finder != nil {
			m.finder.paused(msg.edit)
		}
	case paneMsg:
		m.pane.paused(msg.move)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		if m.finder != nil {
			return m.finder.update(msg)
		}
		if m.prompt.open() {
			return m.answer(m.prompt.update(msg, m.snapshot, &m.personal))
		}
	case tea.MouseWheelMsg:
		return m.wheel(msg.Button)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			return m.click(msg.X, msg.Y)
		}
	}
	return nil
}

// receive shows a snapshot, if it is of the moment that is to be shown.
func (m *Model) receive(s *feed.Snapshot) {
	if !m.ofMoment(s) {
		return
	}
	switch m.snapshot = s; {
	case s.Past():
		m.now = s.Moment.In(m.clock.Location())
	case m.bundle != "":
		m.now = m.clock
	default:
		if s.Received.After(m.clock) {
			m.clock = s.Received
		}
		m.now = m.clock
	}
}

func (m *Model) page() *page.Page { return m.pages[m.at] }

func (m *Model) canvas() page.Canvas {
	return page.Canvas{Width: m.pageWidth(), Height: max(1, m.height-frameLines), Theme: m.theme, Now: m.now, Filter: m.filter, Write: m.editor != nil && !m.inPast(), Background: m.work}
}

// key acts on a key: the prompt first, then what works everywhere, then the page.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if msg.String() == "ctrl+c" {
		return tea.Quit
	}
	m.notice = ""
	switch {
	case m.finder != nil:
		return m.findKey(msg)
	case m.prompt.open():
		return m.answer(m.prompt.update(msg, m.snapshot, &m.personal))
	case m.help == nil && msg.String() == findKeyName:
		return m.find("")
	case m.help != nil:
		if !m.help.key(msg, m.canvas().Height-1) {
			m.help = nil
		}
		return nil
	}
	if !m.page().Claims(msg) {
		keys := append(m.personal.keys(), globalKeys()...)
		if m.replay != nil {
			keys = append(replayKeys(), keys...)
		}
		if m.inPast() {
			keys = append(pastKeys(), keys...)
		}
		if cmd, ok := m.press(keys, msg); ok {
			return cmd
		}
	}
	return m.perform(m.page().Key(msg, m.canvas(), m.snapshot))
}

// goToProblem shows the page about the worst problem, or about the next if that page is on the screen.
func (m *Model) goToProblem() {
	h, here := m.health(), m.page().Name
	n := len(h.Problems)
	last := n - 1 // of the current page
	for last >= 0 && h.Problems[last].Page().Name != here {
		last--
	}
	for i := range n {
		if p := h.Problems[(last+1+i)%n].Page(); p.Name != here {
			m.open(p)
			return
		}
	}
	switch {
	case n > 0:
		m.notice = "see this page: " + h.Problems[0].Why
	case h.Role == theme.Good:
		m.notice = "no known problems"
	default:
		m.notice = h.Why
	}
}

func (m *Model) perform(a page.Action) tea.Cmd {
	if a.Go != nil {
		m.open(a.Go)
	}
	if a.Notice != "" {
		m.notice = a.Notice
	}
	switch {
	case m.inPast() && (a.Edit != nil || a.Change != nil || a.HandOver != nil || a.Shell != nil):
		m.notice = "the past cannot be changed: :now returns to the present"
	case a.Edit != nil:
		return m.edit(*a.Edit, a.Draft)
	case a.Change != nil:
		return m.change(*a.Change)
	case a.HandOver != nil:
		return m.handOver(*a.HandOver)
	case a.Shell != nil:
		return m.shell(a.Shell)
	}
	return nil
}

// open shows a page and forgets what lay ahead in the history.
func (m *Model) open(p *page.Page) {
	m.leave()
	m.pages = append(m.pages[:m.at+1:m.at+1], p)
	if len(m.pages) > historyLimit {
		m.pages = m.pages[1:]
	}
	m.arrive(len(m.pages) - 1)
}

// visit shows a page, unless the page on the screen is the same without a filter: the history has no page twice in a row.
func (m *Model) visit(p *page.Page) {
	if here := m.page(); m.filter != nil || here.Name != p.Name || here.Command != p.Command {
		m.open(p)
	}
}

// swap shows the page that was shown before, as it was left: where it is in the history, else as a new page.
func (m *Model) swap() {
	switch {
	case m.last == nil:
	case m.at > 0 && m.pages[m.at-1] == m.last:
		m.move(m.at - 1)
	case m.at+1 < len(m.pages) && m.pages[m.at+1] == m.last:
		m.move(m.at + 1)
	case m.last != m.page():
		m.open(m.last)
	}
}

func (m *Model) move(to int) {
	if to < 0 || to >= len(m.pages) {
		return
	}
	m.leave()
	m.arrive(to)
}

// leave remembers the page and its filter, for the way back.
func (m *Model) leave() {
	if m.last = m.page(); m.filters == nil {
		m.filters = map[*page.Page]*widget.Filter{}
	}
	m.filters[m.last] = m.filter
	maps.DeleteFunc(m.filters, func(p *page.Page, f *widget.Filter) bool {
		return f == nil || p != m.last && !slices.Contains(m.pages, p)
	})
}

// arrive shows a page of the history, with the filter that it had.
func (m *Model) arrive(at int) {
	m.at = at
	m.filter = m.filters[m.page()]
}

// answer acts on a finished line of the prompt.
func (m *Model) answer(kind, line string, done bool) tea.Cmd {
	switch kind {
	case "@":
		switch {
		case !done || line == "":
		case m.replay != nil:
			return m.goTo(line)
		default:
			m.travelTo(line)
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
	if line == toPresent {
		m.travel(m.clock)
		return nil
	}
	if at, ok := strings.CutPrefix(line, toMoment+" "); ok || line == toMoment {
		if at = strings.TrimSpace(strings.TrimPrefix(at, toMoment)); at == "" {
			return m.ask("@")
		}
		m.travelTo(at)
		return nil
	}
	if name, ok := strings.CutPrefix(line, "save "); ok || line == "save" {
		m.save(strings.TrimSpace(strings.TrimPrefix(name, "save")))
		return nil
	}
	m.visitPath(line)
	return nil
}
