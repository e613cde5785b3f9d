// SPDX-License-Identifier: Apache-2.0

package app

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
)

// exact describes how a frame fails to fill a terminal line by line; "" if it does. Two ways of counting cells must agree, because
// terminals use either.
func exact(frame string, width, height int) string {
	lines := strings.Split(frame, "\n")
	if len(lines) != height {
		return "the number of lines"
	}
	for _, l := range lines {
		if ansi.StringWidth(l) != width || ansi.StringWidthWc(l) != width {
			return "the width of " + l
		}
	}
	return ""
}

// Every frame of every page has the terminal's size, whatever that is, and however it changes while keys are pressed.
func TestEverySize(t *testing.T) {
	keys := []string{"j", "k", "G", "g", "/", "w", "e", "enter", "esc", "?", "N", "o", "space", "v", "+", "down"}
	for n, screen := range screens() {
		rnd := rand.New(rand.NewPCG(uint64(n), 4))
		m, _ := still(t, look(t, "dark", n%2 == 0), screen.make(), minWidth, minHeight)
		for step := range 60 {
			width, height := 1+rnd.IntN(300), 1+rnd.IntN(100)
			switch step % 4 {
			case 0:
				width, height = minWidth+rnd.IntN(20), minHeight+rnd.IntN(10)
			case 1:
				press(m, keys[rnd.IntN(len(keys))])
			}
			m.Update(tea.WindowSizeMsg{Width: width, Height: height})
			if wrong := exact(m.Frame(), width, height); wrong != "" {
				t.Errorf("%s, %d x %d: %s:\n%s", screen.name, width, height, wrong, m.Frame())
			}
		}
	}
}

// nasty is what no name should be.
const nasty = "\x1b[38;5;214mspoof\x1b[31mred\x1b]0;title\x07\u009b2J\u202eevil\u2066\r\nnext\tend网络🐳👩\u200d💻e\u0301\x7f"

// colours is a sequence that changes nothing but how letters look (SGR, ECMA-48).
var colours = regexp.MustCompile(`^\x1b\[[0-9;]*m`)

// hostile is the fixed cluster after someone put sequences for the terminal into everything that is text.
func hostile(t *testing.T) *feed.Snapshot {
	s, now := fixed()
	for i, e := range s.Endpoints {
		x := *e
		x.EndpointID, x.HomingHost, x.ContainerName, x.MacAddress, x.IpAddress = e.EndpointID+nasty, "h1"+nasty, nasty, nasty, [2]string{nasty, nasty}
		s.Endpoints[i] = &x
	}
	for i := range s.Nodes {
		s.Nodes[i].Reason, s.Nodes[i].VTEP, s.Nodes[i].Errors = nasty, nasty, 1
		if s.Nodes[i].Role != model.RoleAgent { // the questions are asked by the agents' names
			s.Nodes[i].Name = nasty
		}
	}
	for _, o := range s.Objects["network"] {
		o.(*model.Network).Subnet += nasty
	}
	for _, o := range s.Objects["rule"] {
		o.(*model.Rule).FromEndpointGroup = nasty
	}
	for i := range s.Events {
		s.Events[i].Key += nasty
	}
	s.Answers[page.HealthQuestion()] = feed.Answer{At: now, Value: model.Health{Findings: []model.Finding{
		{Code: model.FindingObjectsFailed, Severity: model.SeverityError, Host: nasty, Object: "host/" + nasty, Evidence: "1 object does not work: " + nasty, Remedy: nasty, Next: nasty, Since: nasty}}}}
	for q, a := range s.Answers {
		if list, ok := a.Value.([]model.Flow); ok {
			for i := range list {
				list[i].Match, list[i].Owner, list[i].Flow = nasty, nasty, nasty
			}
		}
		if a.Err != "" {
			a.Err = nasty
			s.Answers[q] = a
		}
	}
	s.Objects["tenant"] = append(s.Objects["tenant"], &model.Tenant{TenantName: "z" + nasty})
	slices.SortFunc(s.Objects["tenant"], func(a, b model.Object) int { return strings.Compare(a.ObjectKey(), b.ObjectKey()) })
	if s.Received = now; len(s.Endpoints) == 0 {
		t.Fatal("the fixed cluster has no endpoints")
	}
	return s
}

// Nothing that comes from the cluster writes to the terminal but as letters, and every cell stays where it belongs.
func TestHostileNames(t *testing.T) {
	th := look(t, "dark", false)
	extra := []screen{
		{"text", func() *page.Page { return page.Text(nasty, "netctl "+nasty, "a\n"+nasty) }},
		{"hostile endpoint", func() *page.Page { return page.Topology(model.KindEndpoint(), "acme:blue:db") }},
		{"confirm", func() *page.Page {
			return page.Confirm(page.Change{Objects: page.Objects{Kind: model.KindTenant(), Keys: []string{"z" + nasty}}})
		}},
	}
	for _, screen := range append(screens(), extra...) {
		for _, width := range []int{minWidth, 133} {
			m, _ := still(t, th, screen.make(), width, 40)
			m.Update(hostile(t))
			for _, keys := range [][]string{nil, {"j"}, {"enter"}, {"/", "网"}} {
				press(m, keys...)
				frame := m.Frame()
				if wrong := exact(frame, width, 40); wrong != "" {
					t.Errorf("%s after %v: %s:\n%s", screen.name, keys, wrong, frame)
				}
				for rest := frame; rest != ""; {
					if sgr := colours.FindString(rest); sgr != "" {
						rest = rest[len(sgr):]
						continue
					}
					r := []rune(rest[:min(4, len(rest))])[0]
					if r != '\n' && unicode.Is(unicode.C, r) {
						t.Fatalf("%s after %v: %q reaches the terminal before %q", screen.name, keys, r, rest[:min(30, len(rest))])
					}
					rest = rest[len(string(r)):]
				}
				if strings.Contains(frame, "\x1b[38;5;214mspoof") {
					t.Errorf("%s after %v: a name chooses its colour:\n%s", screen.name, keys, frame)
				}
			}
		}
	}
}

// How names that should not be look on the screen.
func TestHostileGolden(t *testing.T) {
	for _, name := range []string{"endpoints", "topology", "events"} {
		e, _ := page.Named(name)
		m, _ := still(t, mono(t, false), e.Make(), 132, minHeight)
		m.Update(hostile(t))
		golden(t, "hostile-"+name+".txt", Plain(m.Frame())+"\n")
	}
}
