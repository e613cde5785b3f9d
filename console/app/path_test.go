// SPDX-License-Identifier: Apache-2.0

package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Every place of the grammar leads to its page, from the command line as from the palette.
func TestPlaces(t *testing.T) {
	tests := []struct{ place, want, not string }{
		{"overview", "$ netctl node ls", ""},
		{"policies", "$ netctl policy ls --all", ""},
		{"policys", "$ netctl policy ls --all", ""},
		{"topology:matrix", "$ netctl matrix --tenant acme", ""},
		{"topology/endpoint/acme:blue:web-1", "endpoint shop/web on h1, group web", ""},
		{"topology/group/acme/db", "endpointGroup acme:db: 1 on 1 host", ""},
		{"matrix/acme", "$ netctl matrix --tenant acme", ""},
		{"podmatrix/shop", "$ netctl matrix -n shop", ""},
		{"addresses/acme/blue", "$ netctl ip show --tenant acme blue", ""},
		{"addresses/acme:blue", "$ netctl ip show --tenant acme blue", ""},
		{"addresses/acme/blue/10.1.1.4", "▶ 10.1.1.4", ""},
		{"addresses/acme/blue/10.1.1.4:history", "$ netctl ip history --tenant acme --network blue 10.1.1.4", ""},
		{"addresses/acme/blue:ages", "time since the last change", ""},
		{"addresses/acme/blue:blocks", "a cell is 16 addresses", ""},
		{"addresses/acme/blue:ipv6", "2001:db8:1::/112", ""},
		{"flows/h1", "policy_in", "to group db"},
		{"flows/h1/policy_in", "to group db, udp 53", "from port of web-1"},
		{"flows/h1/30", "to group db, udp 53", "from port of web-1"},
		{"flows/h1:drops", "$ netctl flows h1 --drops", "udp 53"},
		{"flows/h1/policy_in:shadowed", "$ netctl flows h1 --table policy_in --shadowed", "5432"},
		{"why/endpoint/acme:blue:web-1/endpoint/acme:blue:db/tcp/5432", "DISAGREE", ""},
		{"why/web-1/db", "$ netctl why web-1 db icmp", ""},
		{"why/web-1/host/h2/udp/53", "$ netctl why web-1 host/h2 udp 53", ""},
		{"why", "enter a part of a name", ""},
		{"network/acme/blue", "10.1.1.8-10.1.1.253", ""},
		{"nodes/h1", "$ netctl describe node h1", ""},
		{"nodes/h1:drift", "$ netctl drift h1", ""},
		{"network/acme:blue:describe", "$ netctl describe network --tenant acme blue", ""},
		{"network/acme/blue:yaml", "subnet: 10.1.1.0/24", ""},
		{"network/acme/blue:history", "$ netctl history network acme:blue", ""},
		{"network/acme/blue:topology", "network acme:blue: 2 on 2 hosts", ""},
		{"network/acme/blue:address", "$ netctl ip show --tenant acme blue", ""},
		{"rule/acme/db-in/pg:yaml", "port: 5432", ""},
		{"endpoint/shop/web", "$ netctl describe endpoint acme:blue:web-1", ""},
		{"endpoint/web-1", "$ netctl describe endpoint acme:blue:web-1", ""},
		{"endpoint/acme:blue:web-1:flows", "$ netctl flows h1 --owner endpoint/acme:blue:web-1", ""},
		{"endpoint/web-1:address", "▶ 10.1.1.1", ""},
		{"endpoint/web-1:yaml", "endpointID: web-1", ""},
		{"endpoint/web-1:history", "$ netctl history endpoint acme:blue:web-1", ""},
		{"endpoint/web-1:topology", "endpoint shop/web on h1, group web", ""},
		{"endpoint/web-1:why", "From     endpoint/acme:blue:web-1", ""},
		{"endpoint/absent:flows", "there is no endpoint absent", ""},
		{"network/acme/gone:yaml", "there is no network acme:gone", ""},
		{"paint", "page paint not found", ""},
		{"network//blue", "has an empty part", ""},
		{"overview/x/y", `not found on page overview`, ""},
		{"flows/h1/2/3", "not found on page", ""},
		{"topology/paint/x", "not found on page", ""},
		{"network/acme/blue:drops", "not found on page", ""},
		{"endpoint/web-1:ipv6", "not found on page", ""},
		{"why/a/b/sctp/9", "cannot be followed", ""},
		{"why/a/b:yaml", "not found on page", ""},
	}
	for _, tt := range tests {
		t.Run(tt.place, func(t *testing.T) {
			m, _ := still(t, mono(t, false), page.Overview(), 120, 40)
			press(m, to(tt.place)...)
			if frame := Plain(m.Frame()); !strings.Contains(frame, tt.want) || tt.not != "" && strings.Contains(frame, tt.not) {
				t.Errorf("want %q without %q, got:\n%s", tt.want, tt.not, frame)
			}
		})
	}
}

// All offers of the palette can be opened, and tab selects the first.
func TestPlacesAreOffered(t *testing.T) {
	s, _ := fixed()
	tests := []struct{ typed, want string }{
		{"addr", "addresses"}, {"addresses/a", "addresses/acme/blue"}, {"addresses/acme/blue:", "addresses/acme/blue:ages"},
		{"flows/", "flows/h1"}, {"flows/h1/p", "flows/h1/policy_in"}, {"flows/h2:", "flows/h2:all"}, {"matrix/", "matrix/acme"}, {"podmatrix/", "podmatrix/shop"}, {"topology:", "topology:matrix"},
		{"topology/endpoint/def", "topology/endpoint/default:green:mail"}, {"network/d", "network/default/green"}, {"network/default/green:h", "network/default/green:history"},
		{"endpoint/acme:blue:d", "endpoint/acme:blue:db"}, {"why/web", "why/web-1"}, {"why/web-1/d", "why/web-1/db"}, {"nothing", "nothing"},
	}
	for _, tt := range tests {
		if got := page.Complete(tt.typed, s); got != tt.want {
			t.Errorf("%s: want %s, got %s", tt.typed, tt.want, got)
		}
	}
	for _, typed := range []string{"t", "w", "addresses/", "flows/", "matrix/", "network/", "endpoint/", "rule/", "topology/"} {
		all := page.Offer(typed, s)
		if len(all) == 0 {
			t.Errorf("%s: want something offered", typed)
		}
		for _, p := range all {
			if _, err := page.Open(p); err != nil {
				t.Errorf("%s is offered, but: %v", p, err)
			}
		}
	}
	m, _ := still(t, mono(t, false), page.Overview(), 120, 40)
	press(m, append(typed(":flows/h1/p"), "tab", "enter")...)
	if frame := Plain(m.Frame()); !strings.Contains(frame, "$ netctl flows h1 --table policy_in") {
		t.Errorf("want the place that tab completed, got:\n%s", frame)
	}
}

// --once asks for what an inner page shows, of a real netmaster.
func TestOnceReachesInnerPages(t *testing.T) {
	master := mastertest.Start(t, mastertest.Options{})
	if _, err := master.Networks().Put(t.Context(), &model.Network{TenantName: "default", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/28"}); err != nil {
		t.Fatal(err)
	}
	master.Endpoint(t, "default", "blue", "", "web", "")
	for place, want := range map[string]string{
		"endpoint/web:describe": "Endpoint default:blue:web", "network/default/blue": "10.1.1.2-10.1.1.14", "addresses/default/blue/10.1.1.1": "endpoint web on host h1",
		"network/default/blue:history": "encap: vxlan",
	} {
		var out strings.Builder
		cmd := NewCommand(strings.NewReader(""), &out, func(string) string { return "" }, func() string { return "" })
		cmd.SetArgs([]string{"--netmaster", master.URL, "--once", "--screen", place})
		if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: want %q, got %v:\n%s", place, want, err, out.String())
		}
	}
}

// It leads to a page that can be drawn, or to an error, whatever is typed.
func FuzzPlace(f *testing.F) {
	for _, s := range []string{"", "overview", "addresses/acme/blue/10.1.1.4:history", "flows/h1/30:drops", "why/a/host/b/tcp/80", "endpoint/web-1:why", "rule/a:b:c", ":", "/", "topology/x/:", "network/acme:blue:yaml"} {
		f.Add(s)
	}
	s, now := fixed()
	f.Fuzz(func(t *testing.T, text string) {
		page.Offer(text, s)
		p, err := page.Open(text)
		if err != nil {
			return
		}
		m := New(t.Context(), &cluster{}, mono(t, false), p, now)
		m.Update(s)
		m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		if lines := strings.Count(m.Frame(), "\n"); lines != 23 {
			t.Errorf("%q: want 24 lines, got %d", text, lines+1)
		}
	})
}

// A page of an object that has not been received waits for it.
func TestLater(t *testing.T) {
	s, now := fixed()
	p, err := page.Open("endpoint/web-1:flows")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{}
	m := New(t.Context(), c, mono(t, false), p, now)
	m.Update(&feed.Snapshot{Received: time.Time{}})
	if frame := Plain(m.Frame()); !strings.Contains(frame, "endpoint web-1 has not been received yet") || len(c.asked) > 0 {
		t.Errorf("want it to wait, asked %v, got:\n%s", c.asked, frame)
	}
	m.Update(s)
	if !slices.Equal(c.asked, []feed.Question{{Topic: feed.Flows, Host: "h1"}}) {
		t.Errorf("want the flows of h1 asked, got %v", c.asked)
	}
}
