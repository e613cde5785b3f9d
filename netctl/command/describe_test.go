// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/term"
)

// peopled is a netmaster with a tenant shop.
func peopled(t *testing.T) *mastertest.Master {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "tenant shop", "network front tenantName=shop encap=vxlan subnet=10.7.0.0/24", "tenant twin", "network front tenantName=twin encap=vxlan subnet=10.7.0.0/24", "policy db-in tenantName=shop",
		"rule db-in:1 tenantName=shop direction=in action=deny priority=1", "group web tenantName=shop networkName=front", "group db tenantName=shop networkName=front policies=db-in",
		"service pg tenantName=shop networkName=front ipAddress=10.7.0.9 selectors=app=db ports=5432:5432:TCP")
	m.Endpoint(t, "shop", "front", "db", "db1", "10.7.0.3")
	m.Endpoint(t, "shop", "front", "web", "web1", "10.7.0.4")
	m.Endpoint(t, "twin", "front", "", "old1", "10.7.0.3")
	return m
}

// Everything that other commands print names an object for describe.
func TestDescribe(t *testing.T) {
	m := peopled(t)
	for _, row := range []struct {
		line string
		code int
		want string // of the output or the error, in order
	}{
		{"describe endpoint db1", 0, "Endpoint shop:front:db1\n\nPROBLEMS\n  warning  agent-silent host/h1: ... MAY BE REACHED BY\n  none  everyone (3) (rule db-in:1) ... COMMANDS"},
		{"describe endpoint/shop:front:db1", 0, "Endpoint shop:front:db1\n"},
		{"describe ep 10.7.0.4", 0, "Endpoint shop:front:web1\n"},
		{"describe 10.7.0.4", 0, "Endpoint shop:front:web1\n"},
		{"describe 10.7.0.9", 0, "Service shop:pg\n"},
		{"describe 10.7.0.3", 0, "Endpoint shop:front:db1\n ... \n\nEndpoint twin:front:old1\n"},
		{"describe 10.7.0.99", 3, "no endpoint or service has address 10.7.0.99 (netctl ip who 10.7.0.99 shows its state)"},
		{"describe 10.7.0.3 web1", 1, "got web1 after 10.7.0.3, want an address"},
		{"describe group -t shop web db", 0, "Endpoint group shop:web\n ... \n\nEndpoint group shop:db\n"},
		{"describe group/web:shop network/front.shop", 0, "Endpoint group shop:web\n ... \n\nNetwork shop:front\n"},
		{"describe service/shop:pg", 0, "no container has its selector app=db"},
		{"describe rule/shop:db-in:1", 0, "APPLIES TO\n  db\n"},
		{"describe node h1", 0, "node h1\n ... NEIGHBOURS\n  unknown: "},
		{"describe node/h1", 0, "ENDPOINTS\n  db1  10.7.0.3  group shop:db\n "},
		{"describe node h9", 3, `node "h9" not found`},
		{"describe network x", 3, "network not found"},
		{"describe", 1, "expected KIND NAME..., KIND/NAME... or ADDRESS, got no arguments"},
		{"describe network", 1, "got only network"},
		{"describe endpoint db1 -o name", 0, "endpoint/shop:front:db1\n"},
		{"describe node h1 -o jsonpath={.sections[0].rows[0].state}", 0, "warning\n"},
		{"describe group/shop:web group/shop:db -o jsonpath={.items[1].key}", 0, "shop:db\n"},
	} {
		got := netctl(t, t.Context(), m.URL, strings.Fields(row.line)...)
		rest := got.out + got.err
		for part := range strings.SplitSeq(strings.TrimSuffix(row.want, "..."), " ... ") {
			_, after, found := strings.Cut(rest, part)
			if got.code != row.code || !found {
				t.Errorf("netctl %s: want exit %d and %q, got %d and\n%s%s", row.line, row.code, part, got.code, got.out, got.err)
				break
			}
			rest = after
		}
	}
}

// The document of -o json is what the page shows.
func TestDescribeDocument(t *testing.T) {
	m := peopled(t)
	got := netctl(t, t.Context(), m.URL, "describe", "endpoint", "db1", "-o", "json")
	var d describe.Document
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || d.Kind != "endpoint" || d.Key != "shop:front:db1" {
		t.Fatalf("want the document, got %v of\n%s", err, got.out)
	}
	page := netctl(t, t.Context(), m.URL, "describe", "endpoint", "db1")
	for i := range d.Sections {
		if !strings.Contains(page.out, "\n"+strings.ToUpper(d.Sections[i].Title)+"\n") {
			t.Errorf("want section %s on the page, got\n%s", d.Sections[i].Title, page.out)
		}
	}
}

// On a narrow terminal, long rows have several lines, which begin below the text of the first.
func TestDescribeWraps(t *testing.T) {
	d := &describe.Document{Kind: "network", Key: "shop:front", Sections: []describe.Section{{Title: "Problems", Rows: []describe.Row{
		{Name: "error", Text: []describe.Part{{Text: "nothing of this works any more"}}}, {Text: []describe.Part{{Text: "remedy"}}}}}}}
	want := "Network shop:front\n\nPROBLEMS\n  error  nothing of this\n         works any more\n         remedy\n"
	if got := documentText(d, term.Screen{Width: 26}); got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
}
