// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/console/app"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/test/bench/report"
)

const (
	frameLimit = 8 * time.Millisecond
	keyPause   = 15 * time.Millisecond // between keys, as when one is held down
)

// view is a page, the keys that open it, and those that are pressed while frames are measured.
type view struct {
	name, open string
	keys       []string
}

// views are the pages of a cluster with many endpoints.
func views() []view {
	scroll := typed("jjjjjjjjk")
	return []view{
		{"overview, scrolling", ":overview\n", scroll},
		{"endpoints, scrolling", ":endpoints\n", append(typed("jjjjGkkkkg"), "pgdown", "pgdown")},
		{"endpoints, sorted, scrolling", ":endpoints\nI", typed("jjjjGkkkkg")},
		{"endpoints, filter typed", ":endpoints\n", typed("/web-4999\njjj\x1b/!web-1.*7\njjj\x1b")},
		{"networks, scrolling", ":networks\n", scroll},
		{"topology, scrolling and folding", ":topology\n", append(typed("jjjj "), "pgdown")},
		{"topology, filter typed", ":topology\n", typed("/web-4999\njjj\x1b")},
		{"matrix of 51 parties, scrolling", ":matrix\n", typed("jjjjjjllllllkh")},
		{"addresses, scrolling", ":addresses\n", scroll},
		{"events", ":events\n", scroll},
	}
}

// ruleViews are the pages of a cluster with many rules.
func ruleViews() []view {
	return []view{
		{"10,000 rules on 10 hosts, scrolling", ":rules\n", append(typed("jjjjGkkkkg"), "pgdown", "pgdown")},
		{"10,000 rules on 10 hosts, sorted by packets", ":rules\nPP", typed("jjjjGkkkkg")},
		{"10,000 rules on 10 hosts, filter typed", ":rules\n", typed("/r-0999\njjj\x1b")},
		{"policies of 10,000 rules", ":policies\n", typed("jjjjk")},
	}
}

// pages measures frames: from a key, or a new state of the cluster, to the text of the screen.
func pages(ctx context.Context, t *report.Table, url string, size sizes, frames int, views []view) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := feed.New(&client.Client{Base: url}, time.Now)
	states := make(chan *feed.Snapshot)
	go func() {
		_ = f.Run(ctx, func(s *feed.Snapshot) { // ends with ctx, without an error
			select {
			case states <- s:
			case <-ctx.Done():
			}
		})
	}()
	runtime.LockOSThread() // so that its CPU time is that of the frames
	defer runtime.UnlockOSThread()
	look, err := theme.New("dark", false)
	if err != nil {
		return err
	}
	m := app.New(ctx, f, look, page.Overview(), time.Now())
	ready := make(chan struct{}, 1)
	m.InBackground(func() {
		select {
		case ready <- struct{}{}:
		default: // one that has not been taken will do
		}
	})
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 50})
	for s := range states {
		if m.Update(s); s.Synced && len(s.Endpoints) == size.endpoints && len(s.Nodes) > size.hosts {
			break
		}
	}
	for _, p := range views {
		for _, key := range typed(p.open) {
			press(m, key)
		}
		m.Frame()
		var took, used []time.Duration
		for i := 0; len(took) < frames; {
			var begin time.Time
			var before time.Duration
			select {
			case s := <-states:
				begin, before = time.Now(), threadTime()
				m.Update(s)
			case <-ready:
				begin, before = time.Now(), threadTime()
			case <-time.After(keyPause):
				begin, before = time.Now(), threadTime()
				press(m, p.keys[i%len(p.keys)])
				i++
			case <-ctx.Done():
				return ctx.Err()
			}
			m.Frame()
			used = append(used, threadTime()-before)
			took = append(took, time.Since(begin))
		}
		p99, cpu := report.Percentile(took, 99), report.Percentile(used, 99)
		t.Add(report.Row{What: "frame, " + p.name + ", p50 / p99; CPU time p99", Ours: fmt.Sprintf("%s / %s; %s", report.Millis(report.Median(took)), report.Millis(p99), report.Millis(cpu)),
			Target: "p99 <= " + report.Millis(frameLimit), Met: p99 <= frameLimit})
	}
	return nil
}

// typed is the keys of a text: a line's end is enter, \x1b is esc.
func typed(text string) []string {
	keys := strings.Split(text, "")
	for i, k := range keys {
		switch k {
		case "\n":
			keys[i] = "enter"
		case "\x1b":
			keys[i] = "esc"
		}
	}
	return keys
}

func press(m *app.Model, key string) {
	switch key {
	case "enter":
		m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	case "esc":
		m.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
	case "pgdown":
		m.Update(tea.KeyPressMsg{Code: tea.KeyPgDown})
	default:
		m.Update(tea.KeyPressMsg{Text: key, Code: []rune(key)[0]})
	}
}

// threadTime is the CPU time of this thread. Beside the time on the clock it reports how much of that was waiting for a
// processor, which the feed, the garbage collector and other processes use too.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // cannot fail for the own thread
	return time.Duration(t.Nano())
}
