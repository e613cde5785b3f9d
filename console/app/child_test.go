// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// lender is a model that lends the terminal to a program until it has done so enough times. Its frames count that.
type lender struct {
	times, most int
	drawn       func(times int) // waits until the frame is on the screen
}

func (l *lender) Init() tea.Cmd { return l.next() }

func (l *lender) next() tea.Cmd {
	return lend(exec.Command("true"), func(error) tea.Msg { return l })
}

func (l *lender) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if msg != l {
		return l, nil
	}
	l.times++
	n := l.times
	wait := func() tea.Msg { l.drawn(n); return nil }
	if l.times == l.most {
		return l, tea.Sequence(wait, tea.Quit)
	}
	return l, tea.Sequence(wait, l.next())
}

func (l *lender) View() tea.View { return tea.NewView(frame(l.times)) }

// frame differs in each cell from the one before, so that it is written whole.
func frame(n int) string { return string([]rune{'a' + rune(n), 'A' + rune(n), '0' + rune(n%10)}) }

// written keeps what is written.
type written struct {
	mu   sync.Mutex
	more *sync.Cond
	text bytes.Buffer
}

func (s *written) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.more.Broadcast()
	return s.text.Write(p)
}

// sees blocks until a text has been written.
func (s *written) sees(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !strings.Contains(s.text.String(), text) {
		s.more.Wait()
	}
}

// TestLend: the console draws after a program that ends at once had the terminal, on one processor too.
func TestLend(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	keys, closed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	defer closed.Close()
	s := &written{}
	s.more = sync.NewCond(&s.mu)
	l := &lender{most: 10}
	l.drawn = func(n int) { s.sees(frame(n)) }
	p := tea.NewProgram(l, tea.WithContext(ctx), tea.WithInput(keys), tea.WithOutput(s), tea.WithoutSignals(), tea.WithWindowSize(40, 5))
	if _, err := p.Run(); err != nil || l.times != l.most {
		t.Errorf("the screen shows %d of %d programs that had the terminal: %v", l.times, l.most, err)
	}
}
