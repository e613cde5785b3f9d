// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/feed"
)

// longestPlain bounds a line that plain reads, in bytes.
const longestPlain = 4096

// plainHelp is what plain prints about itself, before the keys.
const plainHelp = `Each line is one of
  :PATH            go to a page, such as :networks or :endpoint/ID
  /FILTER          filter by a regular expression; / ends the filter
  KEY [KEY]...     press keys, such as 2, down enter, pgdown, ctrl+p, esc (back)
  an empty line    print the page with its present content
  ?                this help and the keys of the page
  q                quit
`

// plain is the console as lines of text, for screen readers and for terminals that move no cursor: it reads a command from each line, and
// prints the page after it, from the top to the bottom, without rules and empty lines.
type plain struct {
	m    *Model
	out  io.Writer
	msgs chan tea.Msg     // what commands of the model return
	due  <-chan time.Time // when the page is printed, complete or not; nil: it has been printed
	over bool
}

// plainWait is how long a page may lack answers before it is printed without them.
const plainWait = 3 * time.Second

// await has the page printed once it is complete.
func (p *plain) await() {
	p.m.cluster.Ask(p.m.Questions(p.m.snapshot))
	p.due = time.After(plainWait)
}

// complete reports whether the page has all that it shows. A recording has no more than it shows.
func (p *plain) complete(recorded bool) bool {
	if recorded {
		return true
	}
	s := p.m.snapshot
	return s.Synced && !slices.ContainsFunc(p.m.Questions(s), func(q feed.Question) bool { _, ok := s.Answers[q]; return !ok })
}

// runPlain runs until the input ends, q, or the end of ctx. f feeds the model; nil: it plays a recording. It blocks.
func runPlain(ctx context.Context, in io.Reader, out io.Writer, f *feed.Feed, m *Model, o *options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &plain{m: m, out: out, msgs: make(chan tea.Msg, 16)}
	snapshots, lines := make(chan *feed.Snapshot), make(chan string)
	fed := make(chan error, 1)
	if f == nil {
		fed <- nil
	} else {
		go func() {
			fed <- f.Run(ctx, func(s *feed.Snapshot) {
				select {
				case snapshots <- s:
				case <-ctx.Done():
				}
			})
		}()
	}
	broken := make(chan error, 1)
	go func() {
		defer close(lines)
		s := bufio.NewScanner(in)
		s.Buffer(nil, longestPlain)
		for s.Scan() {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
		broken <- s.Err()
	}()
	p.do(ctx, tea.WindowSizeMsg{Width: o.width, Height: o.height})
	p.run(ctx, m.Init())
	p.await()
	for !p.over {
		read := lines
		if p.due != nil {
			read = nil // the page is printed before the next command
			if p.complete(f == nil) {
				p.print()
				continue
			}
		}
		select {
		case <-ctx.Done():
			p.over = true
		case <-p.due:
			p.print()
		case s := <-snapshots:
			p.do(ctx, s)
		case msg := <-p.msgs:
			p.do(ctx, msg)
		case line, ok := <-read:
			if !ok {
				p.over = true
				break
			}
			p.line(ctx, strings.TrimSpace(line))
		}
	}
	cancel()
	if err := <-fed; err != nil {
		return err
	}
	select {
	case err := <-broken:
		if err != nil {
			return fmt.Errorf("read a command: %w", err)
		}
	default:
	}
	return nil
}

// do gives the model a message.
func (p *plain) do(ctx context.Context, msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.QuitMsg:
		p.over = true
	case tea.BatchMsg:
		for _, cmd := range msg {
			p.run(ctx, cmd)
		}
	default:
		_, cmd := p.m.Update(msg)
		p.run(ctx, cmd)
	}
}

// run runs a command of the model, whose message is delivered later.
func (p *plain) run(ctx context.Context, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		select {
		case p.msgs <- cmd():
		case <-ctx.Done():
		}
	}()
}

// line acts on a line of the user.
func (p *plain) line(ctx context.Context, line string) {
	kind, rest := "", ""
	if strings.HasPrefix(line, ":") || strings.HasPrefix(line, "/") {
		kind, rest = line[:1], strings.TrimSpace(line[1:])
	}
	p.m.notice = ""
	switch {
	case line == "?":
		fmt.Fprint(p.out, plainHelp)
		fmt.Fprintln(p.out, Plain(strings.Join(newHelp(p.m).lines, "\n")))
		return
	case line == "q", line == ":q":
		p.over = true
		return
	case kind != "":
		if _, _, err := p.m.personal.open(rest); kind == ":" && err != nil && !travels(rest) {
			rest = complete(rest, p.m.snapshot, &p.m.personal)
		}
		p.run(ctx, p.m.answer(kind, rest, true))
	default:
		for _, word := range strings.Fields(line) {
			msg, err := pressOf(word)
			if err != nil {
				fmt.Fprintln(p.out, err)
				return
			}
			p.do(ctx, msg)
		}
	}
	p.await()
}

// rule is a line of a frame without text.
var rule = regexp.MustCompile(`^[-+| ]*$`)

// print writes the page.
func (p *plain) print() {
	p.due = nil
	lines := strings.Split(Plain(p.m.Frame()), "\n")
	lines = slices.DeleteFunc(lines, rule.MatchString)
	if n := len(lines); n > 1 && !p.m.prompt.open() {
		lines = slices.Delete(lines, n-2, n-1) // the tabs
	}
	fmt.Fprintln(p.out, strings.Join(lines, "\n"))
}

// pressOf returns the key of a name, as the help of the console names keys.
func pressOf(name string) (tea.KeyPressMsg, error) {
	named := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"pgdn": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd}
	var mod tea.KeyMod
	rest := name
	for _, m := range []struct {
		prefix string
		mod    tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if after, ok := strings.CutPrefix(rest, m.prefix); ok && after != "" {
			rest, mod = after, mod|m.mod
		}
	}
	if code, ok := named[rest]; ok {
		msg := tea.KeyPressMsg{Code: code, Mod: mod}
		if code == tea.KeySpace && mod == 0 {
			msg.Text = " "
		}
		return msg, nil
	}
	if code, ok := functionKey(rest); ok {
		return tea.KeyPressMsg{Code: code, Mod: mod}, nil
	}
	if utf8.RuneCountInString(rest) != 1 {
		return tea.KeyPressMsg{}, fmt.Errorf("got %q, want a key such as enter, down or ctrl+p; \":%s\" goes to a page, \"?\" lists all", name, name)
	}
	code, _ := utf8.DecodeRuneInString(rest)
	if mod == 0 {
		return tea.KeyPressMsg{Code: code, Text: rest}, nil
	}
	return tea.KeyPressMsg{Code: code, Mod: mod}, nil
}

// functionKey returns the code of f1 to f20.
func functionKey(name string) (rune, bool) {
	var n int
	if _, err := fmt.Sscanf(name, "f%d", &n); err != nil || n < 1 || n > 20 || name != fmt.Sprintf("f%d", n) {
		return 0, false
	}
	return tea.KeyF1 + rune(n-1), true
}
