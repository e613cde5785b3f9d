// SPDX-License-Identifier: Apache-2.0

package app

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
)

// know sends the model everything that its page asks for.
func know(t *testing.T, m *Model, c *client.Client) {
	t.Helper()
	s, err := feed.New(&client.Client{Base: c.Base, HTTP: c.HTTP}, func() time.Time { return m.now }).Once(t.Context(), m.Questions)
	if err != nil {
		t.Fatal(err)
	}
	m.Update(s)
}

// Netmaster reports a refusal before a change is sent, and the change is not sent then.
func TestRefusedBeforehand(t *testing.T) {
	master := peopled(t)
	m := watched(t, master.Client, page.Table(model.KindNetwork()))
	press(m, "ctrl+d")
	if frame := Plain(m.Frame()); !strings.Contains(frame, "dry run in progress") {
		t.Errorf("want it to be asked, got:\n%s", frame)
	}
	know(t, m, master.Client)
	if frame := Plain(m.Frame()); !strings.Contains(frame, "✗ dry run: netmaster refuses the change: ") || !strings.Contains(frame, "1 endpointGroup: acme:web") {
		t.Errorf("want the refusal, got:\n%s", frame)
	}
	if press(m, "Y"); !strings.Contains(Plain(m.Frame()), "not sent, because netmaster refuses it") {
		t.Errorf("want it not sent, got:\n%s", Plain(m.Frame()))
	}
	m = watched(t, master.Client, page.Table(model.KindRule()))
	press(m, "ctrl+d")
	know(t, m, master.Client)
	if frame := Plain(m.Frame()); !strings.Contains(frame, "forwarding: group acme:web; 1 endpoint on h1") {
		t.Errorf("want the group whose packets the rule judges, got:\n%s", frame)
	}
	m = watched(t, master.Client, page.Table(model.KindNetprofile()))
	press(m, "ctrl+d")
	if frame := Plain(m.Frame()); strings.Contains(frame, "Nothing depends on it") {
		t.Errorf("want no claim before the answer, got:\n%s", frame)
	}
	know(t, m, master.Client)
	if frame := Plain(m.Frame()); !strings.Contains(frame, "● dry run passed") || !strings.Contains(frame, "Nothing depends on it") {
		t.Errorf("want it accepted, got:\n%s", frame)
	}
	if press(m, "Y"); !strings.Contains(Plain(m.Frame()), "done: delete netprofile acme:slow") {
		t.Errorf("want it done, got:\n%s", Plain(m.Frame()))
	}
}

// An edit that is refused, by netmaster or for what it says, is there to be edited again, with the reason above it.
func TestEditAgain(t *testing.T) {
	master := peopled(t)
	edit := func(m *Model, text string, err error) {
		m.Update(editedMsg{page.Objects{Kind: model.KindNetwork(), Keys: []string{"acme:blue"}}, []byte(text), []byte("as it was"), err})
	}
	const sound = "tenantName: acme\nnetworkName: blue\nencap: vxlan\nsubnet: 10.1.1.0/24\ngateway: 10.1.1.254\nipv6Subnet: 2001:db8:1::/64\nnwType: data\n"
	other := strings.Replace(sound, "10.1.1.0/24", "10.7.0.0/24", 1)
	for _, row := range []struct {
		name, text string
		err        error
		want       string
	}{
		{"refused by netmaster", other, nil, "✗ dry run: netmaster refuses the change: "},
		{"no YAML", "{", nil, "✗ the file is not a valid network"},
		{"an unknown field", sound + "colour: red\n", nil, `✗ the file is not a valid network: json: unknown field "colour"`},
		{"another name", strings.Replace(sound, "blue", "red", 1), nil, "objects cannot be renamed"},
		{"the editor fails", sound + "# mine\n", errors.New("exit status 1"), "✗ the editor: exit status 1"},
	} {
		m := watched(t, master.Client, page.Table(model.KindNetwork()))
		edit(m, row.text, row.err)
		know(t, m, master.Client)
		frame := Plain(m.Frame())
		if !strings.Contains(frame, row.want) {
			t.Errorf("%s: want %q, got:\n%s", row.name, row.want, frame)
		}
		a := m.page().Key(tea.KeyPressMsg{Text: "e", Code: 'e'}, m.canvas(), m.snapshot)
		head, rest, _ := strings.Cut(string(a.Draft), "\n")
		if a.Edit == nil || !strings.HasPrefix(head, "#! ") || !strings.HasSuffix(rest, row.text) {
			t.Errorf("%s: want the text with the reason above it, got %q", row.name, a.Draft)
		}
		pages := len(m.pages)
		edit(m, string(a.Draft), nil) // left as it was: the same again, once
		if again := m.page().Key(tea.KeyPressMsg{Text: "e", Code: 'e'}, m.canvas(), m.snapshot); len(m.pages) != pages || row.err == nil && !strings.HasSuffix(string(again.Draft), row.text) {
			t.Errorf("%s: want the same page again, got %d pages, %q", row.name, len(m.pages)-pages, again.Draft)
		}
	}
}

// A refusal that comes only when it is sent stays on the screen, and the edit with it.
func TestRefusedLate(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Table(model.KindNetwork()), 120, 40, "true")
	n := *m.snapshot.Objects["network"][0].(*model.Network)
	n.Gateway = "10.1.1.253"
	change := page.Change{Objects: page.Objects{Kind: model.KindNetwork(), Keys: []string{"acme:blue"}}, Object: &n}
	m.open(page.Edited(change, []byte("gateway: 10.1.1.253\n")))
	m.Update(changedMsg{change, m.page(), errors.New("the gateway is taken")})
	press(m, "down")
	if frame := Plain(m.Frame()); !strings.Contains(frame, "✗ failed: the gateway is taken") || !strings.Contains(frame, "e edit again") {
		t.Errorf("want the refusal, got:\n%s", frame)
	}
	if a := m.page().Key(tea.KeyPressMsg{Text: "e", Code: 'e'}, m.canvas(), m.snapshot); string(a.Draft) != "#! the gateway is taken\ngateway: 10.1.1.253\n" {
		t.Errorf("want the draft with the reason, got %q", a.Draft)
	}
}

// A page has its filter again on the way back and forward; a page that is opened again by its name has none.
func TestFiltersComeBack(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Table(model.KindEndpoint()), 120, 40)
	filter := func(text string) { press(m, append(append([]string{"/"}, strings.Split(text, "")...), "enter")...) }
	shown := func(step string, want string) {
		t.Helper()
		got := ""
		if m.filter != nil {
			got = m.filter.Text
		}
		if got != want {
			t.Errorf("%s: want filter %q, got %q", step, want, got)
		}
	}
	filter("web")
	press(m, "d")
	shown("another page", "")
	filter("xyz")
	press(m, "[")
	shown("back", "web")
	press(m, "]")
	shown("forward", "xyz")
	press(m, "-")
	shown("the page before", "web")
	press(m, "8")
	shown("the page again", "")
	press(m, "esc")
	shown("back once more", "web")
	press(m, "esc")
	shown("the filter ended", "")
	if n := len(m.filters); n > len(m.pages) || slices.Contains(m.pages, nil) {
		t.Errorf("want at most one filter per page, got %d", n)
	}
}
