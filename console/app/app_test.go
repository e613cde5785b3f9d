package app

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// fixed is a small cluster at a fixed moment.
func fixed() (*feed.Snapshot, time.Time) {
	now := time.Date(2030, 1, 2, 14, 2, 11, 0, time.UTC)
	since := now.Add(-22 * time.Minute).Format(time.RFC3339)
	s := &feed.Snapshot{Base: "http://netmaster:9999", Revision: 18204, Synced: true, Watching: true, Heard: now,
		Nodes: []model.Node{
			{Name: "192.0.2.1", Address: "192.0.2.1:9999", Role: model.RoleLeader, Ready: true, Revision: 18204, Since: since},
			{Name: "192.0.2.2", Address: "192.0.2.2:9999", Role: model.RoleFollower, Ready: true, Revision: 18204, Since: since},
			{Name: "h1", Role: model.RoleAgent, Ready: true, Revision: 18204, Flows: 412, Ports: 2, VTEP: "198.51.100.1", Since: since},
			{Name: "h2", Role: model.RoleAgent, Ready: true, Revision: 18201, Lag: 3, Flows: 398, Ports: 1, VTEP: "198.51.100.2", Since: since},
		},
		Objects: map[string][]model.Object{
			"tenant":        {&model.Tenant{TenantName: "acme"}, &model.Tenant{TenantName: "default"}},
			"endpointGroup": {&model.EndpointGroup{TenantName: "acme", GroupName: "web", NetworkName: "blue"}},
			"network": {
				&model.Network{TenantName: "acme", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/24", Gateway: "10.1.1.254", NwType: "data"},
				&model.Network{TenantName: "default", NetworkName: "green", Encap: "vlan", Subnet: "10.2.1.10-10.2.1.20/24", NwType: "data", PktTag: 12},
			},
		},
		Pools: map[string]feed.Pool{
			"acme:blue": {Count: 5, Allocated: "10.1.1.1-10.1.1.7, 10.1.1.254", Available: "10.1.1.8-10.1.1.253", At: now,
				Held: "10.1.1.3", Quarantined: "10.1.1.4", Pooled: "10.1.1.5-10.1.1.6"},
			"default:green": {Count: 10, Allocated: "10.2.1.10-10.2.1.19", Available: "10.2.1.20", At: now},
		},
		Endpoints: []model.EndpointOper{
			{EndpointID: "web-1", Network: "blue.acme", EndpointGroupKey: "web:acme", HomingHost: "h1", IpAddress: []string{"10.1.1.1", ""}, MacAddress: "02:02:0a:01:01:01"},
			{EndpointID: "web-2", Network: "blue.acme", EndpointGroupKey: "web:acme", HomingHost: "h2", IpAddress: []string{"10.1.1.2", ""}, MacAddress: "02:02:0a:01:01:02"},
			{EndpointID: "db", Network: "green.default", HomingHost: "h1", IpAddress: []string{"10.2.1.10", ""}, MacAddress: "02:02:0a:02:01:0a"},
		},
		Events: []feed.Event{
			{At: now.Add(-16 * time.Second), Type: model.EventPut, Kind: "network", Key: "acme:blue", Revision: 18190},
			{At: now.Add(-3 * time.Second), Type: model.EventDelete, Kind: "endpoint", Key: "blue.acme-web-9", Revision: 18203},
			{At: now.Add(-time.Second), Type: model.EventPut, Kind: "endpoint", Key: "blue.acme-web-2", Revision: 18204},
		}}
	return s, now
}

func mono(t testing.TB, ascii bool) *theme.Theme {
	t.Helper()
	th, err := theme.New("mono", ascii)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// cluster answers in tests, and notes what was asked and changed.
type cluster struct {
	asked []feed.Question
	did   []string
}

func (c *cluster) Ask(q []feed.Question) { c.asked = q }

func (c *cluster) Put(_ context.Context, o model.Object) error {
	c.did = append(c.did, "put "+o.ObjectKey())
	return nil
}

func (c *cluster) Delete(_ context.Context, k *model.Kind, key string) error {
	c.did = append(c.did, "delete "+k.Name+" "+key)
	return nil
}

func (*cluster) Describe(_ context.Context, k *model.Kind, key string) (string, error) {
	return "described: " + k.Name + " " + key, nil
}

func still(t testing.TB, first page.Page, width, height int) *Model {
	s, now := fixed()
	m := New(t.Context(), &cluster{}, mono(t, false), first, now)
	m.Update(s)
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return m
}

func TestGoldenFrames(t *testing.T) {
	sizes := [][2]int{{80, 24}, {120, 40}, {200, 60}}
	screens := page.Entries()
	screens = append(screens, page.Entry{Name: "bitmap", Make: func() page.Page { return page.NewBitmap("acme:blue") }})
	for _, screen := range screens {
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", screen.Name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				frame := still(t, screen.Make(), size[0], size[1]).Frame()
				lines := strings.Split(frame, "\n")
				if len(lines) != size[1] {
					t.Errorf("want %d lines, got %d", size[1], len(lines))
				}
				for i, l := range lines {
					if w := ansi.StringWidth(l); w != size[0] {
						t.Errorf("line %d: want %d cells, got %d: %q", i, size[0], w, l)
					}
				}
				path, got := filepath.Join("testdata", name+".txt"), Plain(frame)+"\n"
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if string(want) != got {
					t.Errorf("the frame changed (-update accepts it)\nwant:\n%s\ngot:\n%s", want, got)
				}
			})
		}
	}
}

func TestASCII(t *testing.T) {
	s, now := fixed()
	for _, e := range page.Entries() {
		m := New(t.Context(), &cluster{}, mono(t, true), e.Make(), now)
		m.Update(s)
		for _, r := range Plain(m.Frame()) {
			if r > 126 {
				t.Errorf("%s: %q is not ASCII", e.Name, r)
			}
		}
	}
}

// press sends keys and does at once what they ask for, as the program would.
func press(m *Model, keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "tab":
			msg = tea.KeyPressMsg{Code: tea.KeyTab}
		case "right":
			msg = tea.KeyPressMsg{Code: tea.KeyRight}
		}
		if _, cmd := m.Update(msg); cmd != nil {
			m.Update(cmd())
		}
	}
}

func TestKeys(t *testing.T) {
	typed := func(s string) []string { return strings.Split(s, "") }
	tests := []struct {
		name      string
		keys      []string
		want, not string
	}{
		{"number", []string{"5"}, "$ netctl network ls --all", ""},
		{"palette completes", append(typed(":ten"), "tab", "enter"), "$ netctl tenant ls", ""},
		{"palette refuses", append(typed(":paint"), "enter"), "there is no page paint", ""},
		{"filter", append([]string{"4"}, append(typed("/web-2"), "enter")...), "web-2", "web-1"},
		{"inverse filter", append([]string{"4"}, append(typed("/!web"), "enter")...), "green.default", "web-1"},
		{"bad filter", append([]string{"4"}, append(typed("/(("), "enter")...), "no regular expression", ""},
		{"filter ends", append([]string{"4"}, append(typed("/web-2"), "enter", "esc")...), "web-1", ""},
		{"a tenant's networks", []string{"7", "enter"}, "networks of acme", "green"},
		{"a network's endpoints", []string{"5", "enter"}, "endpoints of acme:blue", "green.default"},
		{"describe", []string{"5", "j", "d"}, "described: network default:green", ""},
		{"yaml", []string{"5", "y"}, "subnet: 10.1.1.0/24", ""},
		{"sort", []string{"5", "T", "T"}, "Tenant▼", ""},
		{"bitmap", []string{"3", "enter", "right", "right"}, "endpoint web-2 on host h2", ""},
		{"back", []string{"5", "enter", "esc"}, "$ netctl network ls --all", ""},
		{"last", []string{"5", "7", "-"}, "$ netctl network ls --all", ""},
		{"history", []string{"5", "7", "[", "[", "]"}, "$ netctl network ls --all", ""},
		{"help", []string{"?"}, "EVERYWHERE", "MASTERS"},
		{"a host's endpoints", []string{"j", "enter"}, "endpoints of h2", "web-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := still(t, page.NewOverview(), 120, 40)
			press(m, tt.keys...)
			frame := Plain(m.Frame())
			if !strings.Contains(frame, tt.want) || tt.not != "" && strings.Contains(frame, tt.not) {
				t.Errorf("want %q without %q, got:\n%s", tt.want, tt.not, frame)
			}
		})
	}
}

// A session against a real netmaster: a change made by a client is on the screen, and the console can describe it.
func TestSession(t *testing.T) {
	master := mastertest.Start(t, mastertest.Options{})
	if _, err := master.Networks().Put(t.Context(), &model.Network{TenantName: "default", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/28"}); err != nil {
		t.Fatal(err)
	}
	master.Endpoint(t, "default", "blue", "", "web", "")
	f := feed.New(master.Client, time.Now)
	s, err := f.Once(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := New(t.Context(), f, mono(t, false), page.NewOverview(), s.Heard)
	m.Update(s)
	press(m, "3", "enter", "right")
	if frame := Plain(m.Frame()); !strings.Contains(frame, "endpoint web on host h1") {
		t.Errorf("want the endpoint under the cursor, got:\n%s", frame)
	}
	press(m, "d")
	if frame := Plain(m.Frame()); !strings.Contains(frame, "availableIPAddresses: 10.1.1.2-10.1.1.14") {
		t.Errorf("want the description, got:\n%s", frame)
	}
}

func TestVerdicts(t *testing.T) {
	tests := []struct {
		name   string
		change func(*feed.Snapshot)
		want   string
	}{
		{"lag", func(*feed.Snapshot) {}, "CATCHING UP"},
		{"well", func(s *feed.Snapshot) { s.Nodes[3].Lag = 0 }, "HEALTHY"},
		{"no leader", func(s *feed.Snapshot) { s.Nodes[0].Role = model.RoleFollower }, "NO LEADER"},
		{"refused flows", func(s *feed.Snapshot) { s.Nodes[3].Errors = 2 }, "DEGRADED  h2: 2 objects"},
		{"not ready", func(s *feed.Snapshot) { s.Nodes[2].Ready = false; s.Nodes[2].Reason = "did not answer" }, "DEGRADED  h1 is not ready: did not answer"},
		{"lost", func(s *feed.Snapshot) { s.Watching, s.Err = false, "refused" }, "CONNECTION LOST  refused"},
		{"first frame", func(s *feed.Snapshot) { *s = feed.Snapshot{} }, "CONNECTING"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, now := fixed()
			tt.change(s)
			m := New(t.Context(), &cluster{}, mono(t, false), page.NewOverview(), now)
			m.Update(s)
			if frame := Plain(m.Frame()); !strings.Contains(frame, tt.want) {
				t.Errorf("want %q, got:\n%s", tt.want, frame)
			}
		})
	}
}
