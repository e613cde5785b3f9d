// SPDX-License-Identifier: Apache-2.0

package app

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/term"
)

func typed(s string) []string { return strings.Split(s, "") }

// to returns the keys that open a page by name, and further keys.
func to(name string, keys ...string) []string {
	return append(append(typed(":"+name), "enter"), keys...)
}

// filter returns the keys that enter a filter, and further keys.
func filter(text string, keys ...string) []string {
	return append(append(typed("/"+text), "enter"), keys...)
}

func TestKeys(t *testing.T) {
	tests := []struct {
		name      string
		keys      []string
		want, not string
	}{
		{"number", []string{"9"}, "$ netctl explain", ""},
		{"palette completes", append(typed(":ten"), "tab", "enter"), "$ netctl tenant ls", ""},
		{"palette refuses", to("paint"), "page paint not found", ""},
		{"filter", append([]string{"8"}, filter("web-1")...), "web-1", "mail"},
		{"inverse filter", append([]string{"8"}, filter("!web")...), "green.default", "web-1"},
		{"bad filter", append([]string{"8"}, filter("((")...), "not a regular expression", ""},
		{"filter ends", append([]string{"8"}, filter("mail", "esc")...), "web-1", ""},
		{"a tenant's networks", to("tenants", "m"), "networks of acme", "green"},
		{"nothing is in a rule", to("rules", "m"), "nothing is in a rule; enter opens its page", ""},
		{"enter opens the page", to("networks", "enter"), "$ netctl describe network --tenant acme blue", ""},
		{"the first link is selected", to("networks", "enter", "enter"), "described: tenant acme", ""},
		{"tab selects the next link", to("networks", "enter", "tab", "enter"), "described: endpoint acme:blue:db", ""},
		{"a link of the next line", to("networks", "enter", "down", "right", "right", "enter"), "agent-lag", ""},
		{"back to the link that was followed", to("networks", "enter", "tab", "enter", "esc", "tab", "enter"), "described: endpointGroup acme:db", ""},
		{"an address is a link", append([]string{"8", "j", "enter"}, "tab", "enter"), "▶ 10.1.1.1", ""},
		{"an address of IPv6 is a link", append([]string{"8", "j", "enter"}, "tab", "tab", "enter"), "2001:db8:1::/112", ""},
		{"what is unknown", []string{"8", "j", "enter"}, "unknown: host h1: its agent does not answer", ""},
		{"a filter keeps rows", append([]string{"8", "j", "enter"}, filter("db-in")...), "tcp 5432", "PROVIDES"},
		{"the page leads to the members", to("networks", "enter", "m"), "endpoints of acme:blue", ""},
		{"the page leads to the drift", []string{"j", "enter", "D"}, "$ netctl drift h2", ""},
		{"a network's endpoints", to("networks", "m"), "endpoints of acme:blue", "green.default"},
		{"a policy's rules", to("policys", "m"), "5432", ""},
		{"describe", to("networks", "j", "d"), "described: network default:green", ""},
		{"yaml", to("networks", "y"), "subnet: 10.1.1.0/24", ""},
		{"sort", to("networks", "T", "T"), "Tenant▼", ""},
		{"rates of rules", to("rules"), "1.2k+      2  done, ? h2 silent", ""},
		{"backends of services", to("serviceLBs"), "10.1.1.1", ""},
		{"a kind's table", append([]string{"9"}, filter("^rules", "enter")...), "netctl get rule", ""},
		{"bitmap", []string{"3", "enter", "right", "right"}, "endpoint db on host h2", ""},
		{"an address's history", []string{"3", "enter", "right", "right", "right", "right", "h"}, "netctl ip history --tenant acme --network blue 10.1.1.4", ""},
		{"who quarantined", []string{"3", "enter", "right", "right", "right", "right"}, "by ann", ""},
		{"zoom out", []string{"3", "enter", "-"}, "a cell is 16 addresses", ""},
		{"zoom in again", []string{"3", "enter", "-", "+"}, "endpoints 2", "a cell is"},
		{"ages", []string{"3", "enter", "v"}, "time since the last change", ""},
		{"IPv6", []string{"3", "j", "enter"}, "2001:db8:1::/112", ""},
		{"flows of a table", []string{":", "f", "l", "o", "w", "s", "enter", "enter", "j", "enter"}, "to group db, udp 53", "from port of web-1"},
		{"shadowed flows", []string{":", "f", "l", "o", "w", "s", "enter", "enter", "j", "enter", "v", "v", "v"}, "netctl flows h1 --table policy_in --shadowed", "5432"},
		{"what shadows a flow", []string{":", "f", "l", "o", "w", "s", "enter", "enter", "j", "enter", "v", "v", "v", "enter"}, "priority=11,reg4=2", ""},
		{"a silent agent", []string{":", "f", "l", "o", "w", "s", "enter", "j", "enter"}, "✗ h2: the agent of h2 did not answer", ""},
		{"trace from a host", []string{":", "f", "l", "o", "w", "s", "enter", "enter", "w"}, "enter a part of a name, or an address", ""},
		{"trace of a flow", []string{":", "f", "l", "o", "w", "s", "enter", "enter", "j", "enter", "w"}, "endpoint/acme:blue:db", "5432 opens"},
		{"why from an endpoint", append([]string{"8", "j", "w"}, typed("db")...), "▶ endpoint/acme:blue:db", "endpoint/acme:blue:web-1   "},
		{"why with what rules speak of", append(append([]string{"8", "j", "w"}, typed("db")...), "enter"), "tcp 5432", ""},
		{"why a known port", append(append([]string{"8", "j", "w"}, typed("db")...), "enter", "down", "enter"), "DISAGREE  the objects say", "▶ tcp"},
		{"why highlights who disagrees", append(append([]string{"8", "j", "w"}, typed("db")...), "enter", "down", "enter"), "✗ h2 the packet ends  ✗ by the objects: allowed", ""},
		{"why has the remedy", append(append([]string{"8", "j", "w"}, typed("db")...), "enter", "down", "enter"), "netctl drift h2", ""},
		{"why by flows", append(append([]string{"8", "j", "w"}, typed("db")...), "enter", "down", "enter", "s"), "policy_in    110  to group db, tcp 5432: admit", ""},
		{"why the other way round", append(append([]string{"8", "j", "w"}, typed("db")...), "enter", "down", "enter", "r"), "$ netctl why endpoint/acme:blue:db endpoint/acme:blue:web-1 tcp 5432", ""},
		{"why to an address", append(append([]string{"8", "w"}, typed("10.1.1.1")...), "enter", "enter"), "$ netctl why endpoint/acme:blue:db 10.1.1.1 icmp", ""},
		{"why with a port of one's own", append(append(append([]string{"8", "w"}, typed("10.1.1.1")...), "enter"), append(typed("tcp 54"), "enter")...), "10.1.1.1 tcp 54\n", ""},
		{"why with another receiver", append(append([]string{"8", "w"}, typed("10.1.1.1")...), append([]string{"enter", "enter", "t"}, append(typed("mail"), "enter")...)...), "$ netctl why endpoint/acme:blue:db endpoint/default:green:mail icmp", ""},
		{"why that cannot be followed", append(append([]string{"8", "w"}, typed("10.1.1.1")...), append([]string{"enter"}, append(typed("sctp 9"), "enter")...)...), "cannot be followed", ""},
		{"why given up", []string{"8", "w", "esc"}, "$ netctl endpoint ls", ""},
		{"why not changed after all", append(append([]string{"8", "w"}, typed("10.1.1.1")...), "enter", "enter", "p", "esc"), "$ netctl why endpoint/acme:blue:db 10.1.1.1 icmp", "suggestion"},
		{"why of marked", []string{"8", "space", "space", "w", "enter"}, "$ netctl why endpoint/acme:blue:db endpoint/acme:blue:web-1 icmp", ""},
		{"why of a marked and the selected", []string{"8", "space", "w", "enter"}, "$ netctl why endpoint/acme:blue:db endpoint/acme:blue:web-1 icmp", ""},
		{"why of three", []string{"8", "space", "space", "space", "w"}, "mark one or two", ""},
		{"why of networks", to("networks", "w"), "a network sends nothing", ""},
		{"why of a group", append(to("endpointGroups", "w"), typed("web")...), "From     group/acme:db", ""},
		{"why to a service", append(to("serviceLBs", "w"), append(typed("web-1"), "enter")...), "$ netctl why endpoint/acme:blue:web-1 service/acme:front", ""},
		{"why of a matrix cell", []string{"6", "down", "w"}, "$ netctl why group/acme:web group/acme:db tcp 5432", "type a part"},
		{"why in the tree", append(append([]string{"2"}, typed("jjj")...), "w"), "From     endpoint/acme:blue:db", ""},
		{"mark", []string{"8", "space"}, "◆ 1 marked", ""},
		{"marks are seen", []string{"8", "space", "j"}, " ◆", ""},
		{"marks stay when sorted", []string{"8", "space", "space", "I", "I"}, "◆ 2 marked", ""},
		{"marks stay when filtered", append([]string{"8", "space"}, filter("mail")...), "◆ 1 marked", "web-1"},
		{"a mark taken away", []string{"8", "space", "k", "space"}, "netctl endpoint ls", "marked"},
		{"all marks taken away", []string{"8", "space", "space", "\\"}, "netctl endpoint ls", "marked"},
		{"all marks taken away, as k9s", []string{"8", "space", "ctrl+space"}, "netctl endpoint ls", "marked"},
		{"describe the marked", to("networks", "space", "j", "space", "d"), "described: network default:green", ""},
		{"and the first", to("networks", "space", "j", "space", "d"), "10.1.1.8-10.1.1.253", ""},
		{"follow an endpoint", []string{"8", "j", "f"}, "netctl flows h1 --owner endpoint/acme:blue:web-1", "5432"},
		{"an endpoint's address", []string{"8", "a"}, "▶ 10.1.1.2", ""},
		{"an endpoint in the tree", []string{"8", "j", "t"}, "endpoint shop/web on h1, group web, no policies; may connect to 1, partly to 0", ""},
		{"an object's history", to("networks", "H"), "subnet: 10.1.1.0/24", ""},
		{"fold", []string{"2", "space"}, "▸ tenant acme", "network blue"},
		{"unfold", []string{"2", "left", "right"}, "▾ tenant acme", "▸ tenant acme"},
		{"only the tree", []string{"2", "o"}, "network blue", "┌"},
		{"the matrix", []string{"2", "m"}, "◐ tcp 5432", ""},
		{"the matrix of groups names what it omits", []string{"6"}, "for Kubernetes policies see podmatrix", ""},
		{"the matrix of pods", to("podmatrix", "right"), "networkpolicy shop/web rule 1", "nothing speaks of it"},
		{"why of a cell of pods", to("podmatrix", "right", "w"), "$ netctl why shop/cl shop/web tcp 80", ""},
		{"why within a row of pods", to("podmatrix/shop", "w"), "shop/cl-2", ""},
		{"the pods of a row", to("podmatrix", "down", "enter"), "web-1", "mail"},
		{"no pods outside", to("podmatrix", "down", "down", "enter"), "$ netctl matrix -n shop", ""},
		{"the pods of a policy", to("netpol", "m"), "web-1", "mail"},
		{"the pods of a namespace", to("namespaces", "m"), "$ netctl endpoint ls --namespace shop", "mail"},
		{"the deciding rule", []string{"6", "down"}, "allow tcp 5432 from web, priority 10, 1.2k packets", ""},
		{"what is to be seen", []string{"8", "!"}, "$ netctl describe node h2", ""},
		{"exactly what is to be seen", []string{"8", "!", "!"}, "see this page: h2: 3 changes", ""},
		{"nothing is changed", to("networks", "ctrl+d"), "start it with --write", "Delete"},
		{"back", to("networks", "enter", "esc"), "$ netctl network ls --all", ""},
		{"last", to("networks", "7", "-"), "$ netctl network ls --all", ""},
		{"history", to("networks", "7", "[", "[", "]"), "$ netctl network ls --all", ""},
		{"help", []string{"?"}, "EVERYWHERE", "MASTERS"},
		{"help scrolls", append([]string{"8", "?"}, strings.Split(strings.Repeat("down ", 20), " ")[:20]...), "delete it (--write)", ""},
		{"help ends", []string{"8", "?", "down", "x"}, "web-1", "THIS PAGE"},
		{"the store", nil, "embedded etcd, read in 1 ms, 2 of 2 members, term 17001, lease 4 of 5 s", ""},
		{"the events' cursor", []string{"7", "k"}, "▶ 14:02:08     18203  delete", "▶ 14:02:10"},
		{"events followed again", []string{"7", "k", "f"}, "▶ 14:02:10     18204  create", "▶ 14:02:08"},
		{"an event's object", []string{"7", "g", "enter"}, "10.1.1.8-10.1.1.253", ""},
		{"an event's endpoint", []string{"7", "enter"}, "described: endpoint acme:blue:db", ""},
		{"an event's object's history", []string{"7", "g", "H"}, "subnet: 10.1.1.0/24", ""},
		{"an event of what is gone", []string{"7", "k", "enter"}, "it no longer exists; H shows its history", ""},
		{"a host's endpoints", []string{"j", "m"}, "endpoints of h2", "web-1"},
		{"a host's flows", []string{"f"}, "$ netctl flows h1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := still(t, mono(t, false), page.Overview(), 120, 40)
			press(m, tt.keys...)
			frame := Plain(m.Frame()) + "\n"
			if !strings.Contains(frame, tt.want) || tt.not != "" && strings.Contains(frame, tt.not) {
				t.Errorf("want %q without %q, got:\n%s", tt.want, tt.not, frame)
			}
		})
	}
}

// A page requests its data only while it is on the screen.
func TestAsksWhatIsShown(t *testing.T) {
	m, c := still(t, mono(t, false), page.Overview(), 120, 40)
	for _, step := range []struct {
		key  string
		want []feed.Question
	}{
		{"1", []feed.Question{{Topic: feed.Leader}, {Topic: feed.Load}}}, {"9", nil}, {"esc", []feed.Question{{Topic: feed.Leader}, {Topic: feed.Load}}}, {"f", []feed.Question{{Topic: feed.Flows, Host: "h1"}}},
		{"0", []feed.Question{{Topic: feed.Leadership}, {Topic: feed.MasterPairs}}}, {"1", []feed.Question{{Topic: feed.Leader}, {Topic: feed.Load}}},
	} {
		if press(m, step.key); !slices.Equal(c.asked, step.want) {
			t.Errorf("after %s: want %v asked, got %v", step.key, step.want, c.asked)
		}
	}
}

// A deletion first shows the affected objects, and needs its own key.
func TestDelete(t *testing.T) {
	m, c := still(t, mono(t, false), page.Table(model.KindNetwork()), 120, 40, "true")
	press(m, "ctrl+d", "y", "enter")
	frame := Plain(m.Frame())
	for _, want := range []string{"Delete network acme:blue", "2 endpointGroups: acme:db, acme:web", "1 serviceLB: acme:front", "2 endpoints: db on h2, shop/web on h1"} {
		if !strings.Contains(frame, want) {
			t.Errorf("want %q, got:\n%s", want, frame)
		}
	}
	if len(c.did) > 0 {
		t.Fatalf("nothing was confirmed, but done: %v", c.did)
	}
	press(m, "Y")
	if frame := Plain(m.Frame()); !slices.Equal(c.did, []string{"delete network acme:blue"}) || !strings.Contains(frame, "done: delete network acme:blue") {
		t.Errorf("want the deletion reported, got %v:\n%s", c.did, frame)
	}
}

// Marked objects are deleted together, after one confirmation, and a refusal does not prevent the other deletions.
func TestDeleteMarked(t *testing.T) {
	m, c := still(t, mono(t, false), page.Table(model.KindNetwork()), 120, 40, "true")
	press(m, "space", "j", "space", "ctrl+d")
	frame := Plain(m.Frame())
	for _, want := range []string{"Delete 2 networks", "2 endpointGroups: acme:db, acme:web", "default:green", "netctl network rm --tenant acme blue; netctl network rm --tenant default green"} {
		if !strings.Contains(frame, want) {
			t.Errorf("want %q, got:\n%s", want, frame)
		}
	}
	c.refuses = "acme:blue"
	if press(m, "Y"); !slices.Equal(c.did, []string{"delete network default:green"}) {
		t.Errorf("want the other deleted, got %v", c.did)
	}
	if frame := Plain(m.Frame()); !strings.Contains(frame, "not done: 1 of 2 deletions refused, the others are done: acme:blue is in use") {
		t.Errorf("want the refusal on the screen, got:\n%s", frame)
	}
	c.refuses, c.did = "", nil
	if press(m, "Y"); len(c.did) != 2 || !strings.Contains(Plain(m.Frame()), "done: delete 2 networks") {
		t.Errorf("want both deleted, got %v:\n%s", c.did, Plain(m.Frame()))
	}
}

// A handover needs --write, and its own key.
func TestHandOver(t *testing.T) {
	m, c := still(t, mono(t, false), page.Leader(), 120, 40)
	if press(m, "Y", "T"); len(c.did) > 0 || !strings.Contains(Plain(m.Frame()), "the console is read-only") {
		t.Errorf("want a refusal without --write, got %v:\n%s", c.did, Plain(m.Frame()))
	}
	m, c = still(t, mono(t, false), page.Leader(), 120, 40, "true")
	press(m, "T", "enter", "y")
	if frame := Plain(m.Frame()); len(c.did) > 0 || !strings.Contains(frame, "192.0.2.1:9999 is the leader. Select the new leader.") || !strings.Contains(frame, "▶ 192.0.2.2:9999") {
		t.Errorf("want the question, got %v:\n%s", c.did, frame)
	}
	c.refuses = "192.0.2.2:9999"
	if press(m, "Y"); !strings.Contains(Plain(m.Frame()), "not done: 192.0.2.2:9999 cannot lead now") {
		t.Errorf("want the refusal on the screen, got:\n%s", Plain(m.Frame()))
	}
	c.refuses = ""
	if press(m, "Y"); !slices.Equal(c.did, []string{"hand over to 192.0.2.2:9999"}) || !strings.Contains(Plain(m.Frame()), "done: 192.0.2.2:9999 is the leader, and accepted writes after 32 ms") {
		t.Errorf("want it done and reported, got %v:\n%s", c.did, Plain(m.Frame()))
	}
}

// The page shows the cause of each term, and marks causes that older versions did not record.
func TestWhyTermsBegan(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Leader(), 160, 40)
	frame := Plain(m.Frame())
	for _, want := range []string{`17001  192.0.2.1:9999 .* now +1m +the leader's process is dead`, `900  192.0.2.2:9999 .*14:01:11 +59m +not recorded`} {
		if !regexp.MustCompile(want).MatchString(frame) {
			t.Errorf("want %q, got:\n%s", want, frame)
		}
	}
}

// Marks of removed rows are dropped; marks of remaining rows stay when other rows are added.
func TestMarksSurvive(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Table(model.KindEndpoint()), 120, 40)
	press(m, "space", "j", "space")
	s, _ := fixed()
	s.Endpoints = append([]*feed.Endpoint{{Key: "b:a:c", EndpointID: "c", Network: "a.b"}}, s.Endpoints[1:]...)
	m.Update(s)
	frame := Plain(m.Frame())
	if !strings.Contains(frame, "◆ 1 marked") || strings.Count(frame, "◆") != 2 {
		t.Errorf("want one row marked, got:\n%s", frame)
	}
}

// The changes made in an editor are first shown as differences.
func TestEdit(t *testing.T) {
	tests := []struct{ name, file, want, did string }{
		{"a change", "tenantName: acme\nnetworkName: blue\nencap: vxlan\nsubnet: 10.1.1.0/24\ngateway: 10.1.1.253\nipv6Subnet: 2001:db8:1::/64\nnwType: data\n", "gateway: 10.1.1.254 -> 10.1.1.253", "put acme:blue"},
		{"no change", "tenantName: acme\nnetworkName: blue\nencap: vxlan\nsubnet: 10.1.1.0/24\ngateway: 10.1.1.254\nipv6Subnet: 2001:db8:1::/64\nnwType: data\n", "no changes", ""},
		{"another name", "tenantName: acme\nnetworkName: red\nencap: vxlan\nsubnet: 10.1.1.0/24\n", "objects cannot be renamed", ""},
		{"an unknown field", "tenantName: acme\nnetworkName: blue\ncolour: red\n", "the file is not a valid network", ""},
		{"no YAML", "{", "the file is not a valid network", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, c := still(t, mono(t, false), page.Table(model.KindNetwork()), 120, 40, "true")
			m.Update(editedMsg{page.Objects{Kind: model.KindNetwork(), Keys: []string{"acme:blue"}}, []byte(tt.file), nil, nil})
			if frame := Plain(m.Frame()); !strings.Contains(frame, tt.want) {
				t.Errorf("want %q, got:\n%s", tt.want, frame)
			}
			if press(m, "Y"); strings.Join(c.did, " ") != tt.did {
				t.Errorf("want %q done, got %v", tt.did, c.did)
			}
		})
	}
}

// The draft for the editor has every field that can be set, and reads back as the same object.
func TestDraft(t *testing.T) {
	s, _ := fixed()
	before := s.Objects["network"][0]
	made, err := draft(before)
	if err != nil {
		t.Fatal(err)
	}
	path, err := term.Draft(made)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	after, err := parseObject(model.KindNetwork(), text)
	if err != nil || len(model.Differences(before, after)) > 0 || filepath.Ext(path) != ".yaml" {
		t.Errorf("want the same network from a file .yaml, got %v, %v from %s", model.Differences(before, after), err, path)
	}
}

// The labels that an edited file omits are removed: an object without the field keeps them.
func TestDraftStatesLabels(t *testing.T) {
	before := &model.Tenant{TenantName: "a", Labels: map[string]string{"app": "shop"}}
	text, err := draft(before)
	if err != nil || !strings.Contains(string(text), "labels:\n  app: shop\n") {
		t.Fatalf("want the labels in the file, got %s, %v", text, err)
	}
	after, err := parseObject(before.Kind(), []byte(strings.Replace(string(text), "labels:\n  app: shop\n", "", 1)))
	if err != nil || model.LabelsOf(after) == nil || len(model.LabelsOf(after)) > 0 {
		t.Errorf("want empty labels, got %v, %v", model.LabelsOf(after), err)
	}
}

func FuzzEdited(f *testing.F) {
	for _, s := range []string{"", "{", "tenantName: acme\nnetworkName: blue\nencap: vxlan\nsubnet: 10.1.1.0/24\n", "a: &a [*a]", "networkName: [1]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if o, err := parseObject(model.KindNetwork(), text); err == nil && o.Validate() != nil {
			t.Errorf("%q became an object that is not valid", text)
		}
	})
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
	m := New(t.Context(), f, mono(t, false), page.Overview(), s.Received)
	m.Update(s)
	press(m, "3", "enter", "right")
	if frame := Plain(m.Frame()); !strings.Contains(frame, "endpoint web on host h1") {
		t.Errorf("want the endpoint under the cursor, got:\n%s", frame)
	}
	press(m, "d")
	know(t, m, master.Client)
	if frame := Plain(m.Frame()); !strings.Contains(frame, "10.1.1.2-10.1.1.14") {
		t.Errorf("want the description, got:\n%s", frame)
	}
}

func TestVerdicts(t *testing.T) {
	found := func(list ...model.Finding) func(*feed.Snapshot) {
		return func(s *feed.Snapshot) {
			s.Answers[page.HealthQuestion()] = feed.Answer{At: s.Received, Value: model.Health{Findings: list}}
		}
	}
	of := func(code model.FindingCode, severity model.Severity, object, evidence string) model.Finding {
		return model.Finding{Code: code, Severity: severity, Object: object, Evidence: evidence}
	}
	silent := of(model.FindingAgentSilent, model.SeverityError, "host/h1", "its agent is down")
	tests := []struct {
		name   string
		change func(*feed.Snapshot)
		want   string
	}{
		{"lag", func(*feed.Snapshot) {}, "CATCHING UP  h2: 3 changes are on the way to its switch - !"},
		{"well", found(), "HEALTHY"},
		{"no leader", found(of(model.FindingLeaderMissing, model.SeverityError, "cluster/leader", "no netmaster leads")), "NO LEADER  cluster: no netmaster leads - !"},
		{"an error", found(silent), "DEGRADED  h1: its agent is down - !"},
		{"two things", found(silent, of(model.FindingAgentLag, model.SeverityWarning, "host/h2", "3 changes")), "DEGRADED  h1: its agent is down; 1 more - !"},
		{"a cause and what follows from it", func(s *feed.Snapshot) {
			cause, effect := silent, of(model.FindingTunnelBlocked, model.SeverityError, "host/h1", "nothing comes back")
			ref := cause.Ref()
			cause.Effects, effect.CausedBy = 1, &ref
			found(cause, effect)(s)
		}, "DEGRADED  h1: its agent is down (effects: 1) - !"},
		{"missing interfaces", found(of(model.FindingInterfacesMissing, model.SeverityError, "host/h2", "700 endpoints")), "DEGRADED  h2: 700 endpoints - !"},
		{"endpoints that are being attached", found(of(model.FindingInterfacesMissing, model.SeverityWarning, "host/h2", "2 endpoints")), "CATCHING UP  h2: 2 endpoints - !"},
		{"a warning", found(of(model.FindingDrift, model.SeverityWarning, "host/h2", "1 thing")), "WARNING  h2: 1 thing - !"},
		{"something that is not known, after a warning", found(of(model.FindingDrift, model.SeverityWarning, "host/h2", "1 thing"), of(model.FindingAgentUnknown, model.SeverityUnknown, "host/h1", "who knows")),
			"WARNING  h2: 1 thing; 1 more - !"},
		{"only an unknown state", found(of(model.FindingAgentUnknown, model.SeverityUnknown, "host/h1", "who knows")), "UNKNOWN  h1: who knows - !"},
		{"a network", found(of(model.FindingPoolEmpty, model.SeverityError, "network/acme:blue", "no address")), "DEGRADED  network acme:blue: no address - !"},
		{"the store", found(of(model.FindingStoreFull, model.SeverityError, "store/h2", "its quota")), "STORE FULL  store h2: its quota - !"},
		{"no verdict", func(s *feed.Snapshot) { s.Answers[page.HealthQuestion()] = feed.Answer{Err: "refused"} }, "UNKNOWN  netmaster has not reported the health of the cluster: refused - !"},
		{"a verdict of long ago", func(s *feed.Snapshot) {
			s.Answers[page.HealthQuestion()] = feed.Answer{At: s.Received.Add(-time.Minute), Value: model.Health{}}
		}, "UNKNOWN  netmaster has not reported the health of the cluster - !"},
		{"a question without answer", func(s *feed.Snapshot) { found()(s); s.Err = "the nodes: refused" }, "DEGRADED  netmaster did not answer all requests: the nodes: refused - !"},
		{"no nodes", func(s *feed.Snapshot) { s.Nodes = nil }, "UNKNOWN  the nodes have not answered - !"},
		{"lost", func(s *feed.Snapshot) { s.Watching, s.Err = false, "refused" }, " old; refused"},
		{"first frame", func(s *feed.Snapshot) { *s = feed.Snapshot{} }, "CONNECTING"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, now := fixed()
			tt.change(s)
			m := New(t.Context(), &cluster{}, mono(t, false), page.Overview(), now)
			m.Update(s)
			if frame := Plain(m.Frame()); !strings.Contains(frame, tt.want) {
				t.Errorf("want %q, got:\n%s", tt.want, frame)
			}
		})
	}
}

// Key "!" opens a page with details of any problem, other than the one on the screen, or gives the reason why not.
func TestComplaintsLeadSomewhere(t *testing.T) {
	found := func(objects ...string) func(*feed.Snapshot) {
		return func(s *feed.Snapshot) {
			var h model.Health
			for _, o := range objects {
				h.Findings = append(h.Findings, model.Finding{Code: model.FindingDrift, Severity: model.SeverityError, Object: o, Evidence: "it is wrong", Remedy: "do it"})
			}
			s.Answers[page.HealthQuestion()] = feed.Answer{At: s.Received, Value: h}
		}
	}
	for name, row := range map[string]struct {
		change func(*feed.Snapshot)
		want   []string // on the screen after each "!"
	}{
		"well":         {found(), []string{"no known problems"}},
		"two hosts":    {found("host/h1", "host/h2"), []string{"$ netctl describe node h1", "$ netctl describe node h2"}},
		"a master":     {found("master/192.0.2.2"), []string{"$ netctl leader", "see this page"}},
		"an uplink":    {found("uplink/h2:eth1"), []string{"$ netctl describe node h2"}},
		"a network":    {found("network/acme:blue"), []string{"$ netctl describe network --tenant acme blue"}},
		"a service":    {found("service/acme:front"), []string{"described: serviceLB acme:front"}},
		"a rule":       {found("rule/acme:db-in:pg"), []string{"described: rule acme:db-in:pg"}},
		"a BGP router": {found("bgp/h1"), []string{"remedy     do it"}},
		"lost":         {func(s *feed.Snapshot) { s.Watching, s.Err = false, "connection refused" }, []string{"error      connection refused"}},
		"first":        {func(s *feed.Snapshot) { *s = feed.Snapshot{} }, []string{"waiting for the first response of netmaster"}},
	} {
		s, now := fixed()
		row.change(s)
		m := New(t.Context(), &cluster{}, mono(t, false), page.Overview(), now)
		m.Update(s)
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		for _, want := range row.want {
			press(m, "!")
			frame := Plain(m.Frame())
			m.notice = ""
			if !strings.Contains(frame, want) && !strings.Contains(Plain(m.Frame()), want) {
				t.Errorf("%s: want %q, got:\n%s", name, want, frame)
			}
		}
	}
}

// The page of a host's drift has each problem of its Docker engine once.
func TestHostTellsTroubleOnce(t *testing.T) {
	for name, d := range map[string]*model.DockerStatus{
		"the engine":         {Reason: "refused by someone", Since: "2030-01-02T14:00:00Z"},
		"a network":          {Here: true, Problems: []model.DockerProblem{{Network: "blue/acme", Problem: "refused by someone"}}},
		"an engine that was": {Since: "2030-01-02T14:00:00Z", Problems: []model.DockerProblem{{Network: "blue/acme", Problem: "refused by someone"}}},
	} {
		s, now := fixed()
		n := &s.Nodes[3]
		n.Lag, n.Docker, n.Reason = 0, d, d.Problem()
		m := New(t.Context(), &cluster{}, mono(t, false), page.Overview(), now)
		m.Update(s)
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		press(m, to("nodes/h2:drift")...)
		_, below, _ := strings.Cut(Plain(m.Frame()), "────") // the line above it is of all pages
		if strings.Count(below, "refused by someone") != 1 || !strings.Contains(below, "Docker, see below") {
			t.Errorf("%s: want its trouble once, got:\n%s", name, below)
		}
	}
}

// Unknown values are neither called nothing nor 0.
func TestUnknownIsNotNothing(t *testing.T) {
	refused := &feed.Snapshot{Base: "http://nowhere:9999", Err: "connection refused"}
	for _, e := range page.Entries() {
		m := New(t.Context(), &cluster{}, mono(t, false), e.Make(), time.Now())
		m.Update(refused)
		frame := Plain(m.Frame())
		if regexp.MustCompile(`no agent is|\bno (networks|tenants|groups)\b|\b0 endpoint|rev 0|leader none|^  none$`).MatchString(frame) {
			t.Errorf("%s claims what was never received:\n%s", e.Name, frame)
		}
	}
	m, _ := still(t, mono(t, false), page.Overview(), 120, 40)
	m.snapshot.Nodes[3] = model.Node{Name: "h2", Role: model.RoleAgent, Reason: "did not answer"}
	m.snapshot.Nodes[1] = model.Node{Name: "192.0.2.2", Address: "192.0.2.2:9999", Role: model.RoleUnknown, Reason: "did not answer"}
	for _, row := range []struct {
		keys []string
		want string
	}{
		{[]string{"1"}, `h2 +✗ did not answer +\? +\? +\? +\? +\? +\? +\? +-`}, {[]string{"1"}, `192.0.2.2 +unknown +since - +at revision \?`}, {to("flows"), `h2 +✗ did not answer +\? +\? +\? +\? +\?`},
		{[]string{"0"}, `192.0.2.2:9999 +unknown +✗ did not answer +\? +\? +\? +\? +\?`},
	} {
		press(m, row.keys...)
		if frame := Plain(m.Frame()); !regexp.MustCompile(row.want).MatchString(frame) {
			t.Errorf("%s: want %s, got:\n%s", row.keys, row.want, frame)
		}
	}
}
