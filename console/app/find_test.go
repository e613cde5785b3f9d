// SPDX-License-Identifier: Apache-2.0

package app

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
)

// types types a text into the search, without waiting for its pause.
func types(m *Model, text string) {
	for _, r := range text {
		m.Update(tea.KeyPressMsg{Text: string(r), Code: r})
	}
}

// pauses lets the pause after the last edit pass.
func pauses(m *Model) { m.Update(findMsg{m.finder.edit}) }

// findOf is the question of the search for a text.
func findOf(text string) feed.Question { return feed.Question{Topic: feed.Find, Key: text} }

// answered gives the model a snapshot in which a search is answered.
func answered(m *Model, text string, total int, items ...model.Found) {
	s, now := fixed()
	for q, a := range m.snapshot.Answers {
		s.Answers[q] = a
	}
	s.Answers[findOf(text)] = feed.Answer{Value: model.FindAnswer{Query: text, Total: total, Items: items}, At: now, Tried: now}
	m.Update(s)
}

var (
	webGroup = model.Found{Kind: "endpointGroup", Key: "acme:web", Rank: model.FoundExact, Field: "name", Value: "web", About: "on blue"}
	web1     = model.Found{Kind: "endpoint", Key: "acme:blue:web-1", Rank: model.FoundPrefix, Field: "endpointID", Value: "web-1", About: "10.1.1.1 h1 shop/web"}
	hostH1   = model.Found{Kind: model.FoundNode, Key: "h1", Rank: model.FoundExact, Field: "name", Value: "h1", About: "198.51.100.1"}
)

// The search asks once the user pauses, shows only the answer to the current text, and enter opens the selected result; esc then returns to the page below.
func TestFind(t *testing.T) {
	m, c := still(t, mono(t, false), page.Table(model.KindNetwork()), 100, 30)
	press(m, filter("acme")...)
	before := Plain(m.Frame())
	press(m, "ctrl+p")
	types(m, "we")
	if m.Update(findMsg{1}); slices.ContainsFunc(c.asked, func(q feed.Question) bool { return q.Topic == feed.Find }) {
		t.Errorf("want no search while keys follow, got %v", c.asked)
	}
	if pauses(m); !slices.Contains(c.asked, findOf("we")) {
		t.Errorf("after the pause: want the search for we, got %v", c.asked)
	}
	types(m, "b")
	pauses(m)
	if slices.Contains(c.asked, findOf("we")) || !slices.Contains(c.asked, findOf("web")) {
		t.Errorf("want only the search for web, got %v", c.asked)
	}
	answered(m, "we", 1, hostH1) // late
	if f := Plain(m.Frame()); strings.Contains(f, "198.51.100.1") || !strings.Contains(f, "searching…") {
		t.Errorf("want no late answer, got\n%s", f)
	}
	answered(m, "web", 7, webGroup, web1)
	frame := Plain(m.Frame())
	for _, want := range []string{"find web", "the best 2 of 7", "endpointGroup  acme:web", "acme:blue:web-1", "── enter open  tab complete  up/down select  esc close"} {
		if !strings.Contains(frame, want) {
			t.Errorf("want %q in\n%s", want, frame)
		}
	}
	golden(t, "find.txt", frame+"\n")
	types(m, "-")
	if press(m, "enter"); m.finder == nil {
		t.Error("enter opened a result of an earlier text")
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	press(m, "down", "enter")
	if f := Plain(m.Frame()); m.finder != nil || !strings.Contains(f, "Endpoint acme:blue:web-1") {
		t.Errorf("want the page of the endpoint, got\n%s", f)
	}
	if press(m, "esc"); Plain(m.Frame()) != before {
		t.Errorf("back: want\n%s\ngot\n%s", before, Plain(m.Frame()))
	}
	press(m, "ctrl+p")
	types(m, "h1")
	pauses(m)
	answered(m, "h1", 1, hostH1)
	if press(m, "enter"); m.page().Name != page.Host("h1").Name {
		t.Errorf("want the page of the host, got %q", m.page().Name)
	}
}

// A user who types and presses enter at once gets the best result as soon as there is an answer to the whole text, and to no other.
func TestFind_EnterFirst(t *testing.T) {
	m, c := still(t, mono(t, false), page.Overview(), 100, 30)
	press(m, "ctrl+p")
	types(m, "we")
	pauses(m)
	types(m, "b")
	if press(m, "enter"); !slices.Contains(c.asked, findOf("web")) {
		t.Errorf("want the search for web at once, got %v", c.asked)
	}
	if answered(m, "we", 1, hostH1); m.finder == nil {
		t.Error("the answer to an earlier text opened a page")
	}
	if answered(m, "web", 2, webGroup, web1); m.finder != nil || !strings.Contains(m.page().Name, "acme:web") {
		t.Errorf("want the page of the group, got %q", m.page().Name)
	}
	press(m, "ctrl+p")
	types(m, "h1")
	press(m, "enter")
	types(m, "0")
	if answered(m, "h1", 1, hostH1); m.finder == nil {
		t.Error("a page opened although another key followed")
	}
	press(m, "enter")
	if answered(m, "h10", 0); m.finder == nil || !strings.Contains(Plain(m.Frame()), "nothing found") {
		t.Errorf("want that nothing was found, got\n%s", Plain(m.Frame()))
	}
	if answered(m, "h10", 1, hostH1); m.finder == nil {
		t.Error("a later answer opened a page")
	}
}

// tab completes to what the names that begin with the text have in common, then to the selected result's name, and searches for it at once; it waits for the
// answer to the whole text.
func TestFind_Completes(t *testing.T) {
	m, c := still(t, mono(t, false), page.Overview(), 100, 30)
	named := func(kind, key, value string) model.Found {
		return model.Found{Kind: kind, Key: key, Field: "name", Value: value}
	}
	for _, row := range []struct {
		name  string
		typed string
		items []model.Found
		keys  []string
		want  string
	}{
		{"common", "we", []model.Found{named("network", "acme:webshop", "Webshop"), named("endpoint", "acme:blue:websocket", "websocket"), named("network", "acme:old-we", "old-we")}, nil, "Webs"},
		{"selected, in any case", "WEBS", []model.Found{named("network", "acme:webshop", "webshop"), named("endpoint", "acme:blue:websocket", "websocket")}, nil, "webshop"},
		{"another one", "we", []model.Found{named("network", "acme:webshop", "webshop"), named("endpoint", "acme:blue:websocket", "websocket")}, []string{"down"}, "websocket"},
		{"a key", "acme:w", []model.Found{named("endpoint", "acme:web:c1", "c1")}, nil, "acme:web:c1"},
		{"by another value", "10.1.1.9", []model.Found{{Kind: "network", Key: "acme:blue", Field: "subnet", Value: "10.1.1.0/24"}}, nil, "acme:blue"},
		{"complete", "web", []model.Found{named("network", "acme:web", "web"), named("network", "acme:webshop", "webshop")}, nil, "web"},
		{"runes", "g", []model.Found{named("network", "a", "g\u00fc"), named("network", "b", "g\u00f6")}, nil, "g\u00fc"},
		{"nothing", "xy", nil, nil, "xy"},
	} {
		press(m, "ctrl+p")
		types(m, row.typed)
		if len(row.keys) > 0 {
			pauses(m)
			answered(m, row.typed, len(row.items), row.items...)
			press(m, row.keys...)
		}
		press(m, "tab")
		if len(row.keys) == 0 && !slices.Contains(c.asked, findOf(row.typed)) {
			t.Errorf("%s: want the search for %q at once, got %v", row.name, row.typed, c.asked)
		}
		answered(m, row.typed, len(row.items), row.items...)
		if got := m.finder.input.Text(); got != row.want || m.finder.text != row.want {
			t.Errorf("%s: got %q, searched for %q, want %q", row.name, got, m.finder.text, row.want)
		}
		press(m, "esc")
	}
	press(m, "ctrl+p")
	types(m, "h")
	press(m, "tab")
	types(m, "1")
	if answered(m, "h", 1, hostH1); m.finder.input.Text() != "h1" {
		t.Errorf("want no completion after another key, got %q", m.finder.input.Text())
	}
}

// A netmaster opens the page of all, and a Docker network its own.
func TestFind_NoObject(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Overview(), 100, 30)
	for _, row := range []struct {
		found model.Found
		want  string
	}{
		{model.Found{Kind: model.FoundNode, Key: "192.0.2.1", Field: "name", Value: "192.0.2.1"}, "leader"},
		{model.Found{Kind: model.FoundDockerNetwork, Key: "c26f3178ed06", Field: "id", Value: "c26f3178ed06"}, "c26f3178ed06"},
	} {
		press(m, "ctrl+p")
		types(m, row.found.Key)
		pauses(m)
		answered(m, row.found.Key, 1, row.found)
		if press(m, "enter"); m.finder != nil || m.page().Name != row.want {
			t.Errorf("%s: want page %q, got %q", row.found.Ref(), row.want, m.page().Name)
		}
	}
}

// esc ends the search and leaves the page as it was; a search that fails has its reason, and one without results reports that.
func TestFind_Ends(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Why("", "", ""), 100, 30) // a page that takes all keys
	before := Plain(m.Frame())
	press(m, "ctrl+p")
	if f := Plain(m.Frame()); !strings.Contains(f, "a part of a name, an address") {
		t.Errorf("want what can be found, got\n%s", f)
	}
	m.Update(tea.PasteMsg{Content: "nowhere"})
	pauses(m)
	if answered(m, "nowhere", 0); !strings.Contains(Plain(m.Frame()), "nothing found") {
		t.Errorf("want nothing, got\n%s", Plain(m.Frame()))
	}
	s, now := fixed()
	s.Answers[findOf("nowhere")] = feed.Answer{Err: "netmaster is gone", Tried: now}
	if m.Update(s); !strings.Contains(Plain(m.Frame()), "netmaster is gone") {
		t.Errorf("want the reason, got\n%s", Plain(m.Frame()))
	}
	press(m, "esc")
	s, _ = fixed()
	if m.Update(s); Plain(m.Frame()) != before {
		t.Errorf("want\n%s\ngot\n%s", before, Plain(m.Frame()))
	}
	m.Update(findMsg{1}) // late
}

// Found texts cannot control the terminal, and every size of it is kept.
func TestFind_Hostile(t *testing.T) {
	for _, width := range []int{minWidth, 120} {
		m, _ := still(t, mono(t, false), page.Overview(), width, minHeight)
		press(m, "ctrl+p")
		types(m, "x")
		pauses(m)
		var items []model.Found
		for range 60 {
			items = append(items, model.Found{Kind: "network", Key: "a:\x1b[31mred\n" + strings.Repeat("界", 90), Field: "name", Value: "\x07", About: strings.Repeat("x", 200)})
		}
		answered(m, "x", 60, items...)
		for _, typed := range []string{"x", "a key"} {
			if wrong := exact(m.Frame(), width, minHeight); wrong != "" {
				t.Errorf("width %d, %s: %s", width, typed, wrong)
			}
			if strings.Contains(m.Frame(), "\x1b[31m") {
				t.Errorf("%s: the frame has a colour of an object", typed)
			}
			press(m, "tab")
		}
	}
}
