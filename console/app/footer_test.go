// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/command"
	"github.com/contiv/contiv/netctl/term"
)

// peopled is a real master with an object of every kind, endpoints with one name in two tenants, and an agent that answers.
func peopled(t *testing.T) *mastertest.Master {
	t.Helper()
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	apply := func(objects ...model.Object) {
		t.Helper()
		for _, o := range objects {
			if _, err := m.Put(ctx, o); err != nil {
				t.Fatalf("%s %s: %v", o.Kind().Name, o.ObjectKey(), err)
			}
		}
	}
	for _, tenant := range []string{"acme", "zeta"} {
		apply(&model.Tenant{TenantName: tenant},
			&model.Network{TenantName: tenant, NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/24", Gateway: "10.1.1.254", Ipv6Subnet: "2001:db8:1::/64", NwType: "data"},
			&model.Policy{TenantName: tenant, PolicyName: "db-in"},
			&model.Rule{TenantName: tenant, PolicyName: "db-in", RuleId: "pg", Direction: "in", Protocol: "tcp", Port: 5432, Action: "allow", Priority: 10},
			&model.EndpointGroup{TenantName: tenant, GroupName: "web", NetworkName: "blue", Policies: []string{"db-in"}})
		m.Endpoint(t, tenant, "blue", "web", "c1", "")
	}
	apply(&model.ServiceLB{TenantName: "acme", ServiceName: "front", NetworkName: "blue", Ports: []string{"80:8080:TCP"}, Selectors: []string{"tier=web"}},
		&model.Netprofile{TenantName: "acme", ProfileName: "slow", Bandwidth: "10 mbps", DSCP: 3},
		&model.ExtContractsGroup{TenantName: "acme", ContractsGroupName: "out", ContractsType: "provided", Contracts: []string{"uni/tn-common/brc-x"}},
		&model.AppProfile{TenantName: "acme", AppProfileName: "shop"},
		&model.AciGw{Name: "aciGw", EnforcePolicies: "yes", IncludeCommonTenant: "no", PhysicalDomain: "contivPhys"},
		&model.Bgp{Hostname: "h1", Routerip: "192.0.2.9/24", As: "65000", NeighborAs: "65001", Neighbor: "192.0.2.10"})
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		answers := map[string]any{
			"/inspect/flows": []model.Flow{{Table: "source", TableID: "4", Priority: 5, Match: "any packet", Does: "drop", Flow: "actions=drop", Owner: "endpoint/acme:blue:c1"}},
			"/inspect/rules": []model.RuleStatus{},
			"/inspect/drift": model.Drift{Host: "h1"},
			"/inspect/bgp":   struct{}{},
		}
		v, ok := answers[q.URL.Path]
		if !ok {
			http.NotFound(w, q)
			return
		}
		_ = json.NewEncoder(w).Encode(v)
	}))
	t.Cleanup(agent.Close)
	m.Registered(t, "h1", agent.Listener.Addr().String())
	m.Reporting(t, "h1")(model.AgentStatus{Host: "h1", Ready: true, Since: time.Now().Format(time.RFC3339), Endpoints: 2, Flows: 1, VTEP: "192.0.2.1"}, m.Relay.Wanted("h1"))
	return m
}

// watched is the console of a real cluster that has received everything that the page needs.
func watched(t *testing.T, c *client.Client, first *page.Page) *Model {
	t.Helper()
	f := feed.New(&client.Client{Base: c.Base, HTTP: c.HTTP}, time.Now)
	m := New(t.Context(), f, mono(t, false), first, time.Now(), "true")
	s, err := f.Once(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 50})
	m.Update(s)
	return m
}

// footers are the commands of all pages, and of those to which keys lead from them, each with how it was come by.
func footers(t *testing.T, c *client.Client) map[string]string {
	t.Helper()
	out := map[string]string{}
	note := func(m *Model, how string) {
		if m.Frame(); m.page().Command != "" {
			for line := range strings.SplitSeq(m.page().Command, "; ") {
				out[line] = how
			}
		}
	}
	keys := []string{"", "enter", "d", "y", "H", "a", "f", "t", "w", "m", "v", "T", "h", "ctrl+w", "ctrl+d", "space ctrl+d", "space d", "j a", "enter enter", "enter f", "enter j w", "down w", "right right enter"}
	for _, e := range page.Entries() {
		m := watched(t, c, page.Overview())
		s := m.snapshot
		for _, way := range keys {
			m.pages, m.at = []*page.Page{e.Make()}, 0
			m.Update(s)
			m.Frame()
			press(m, strings.Fields(way)...)
			note(m, e.Name+" "+way)
		}
	}
	for _, place := range []string{"endpoint/acme:blue:c1", "endpoint/acme:blue:c1:yaml", "endpoint/nosuch", "rule/acme/db-in/pg", "rule/acme/db-in/pg:yaml", "flows/h1", "flows/h1/source", "flows/h1:drops", "flows/h1:never",
		"flows/h1:shadowed", "addresses/acme/blue:ipv6", "addresses/acme/blue/10.1.1.9:history", "why", "why/endpoint/acme:blue:c1", "matrix/acme", "extContractsGroup/acme/out", "aciGw/aciGw", "global/global", "nodes/h1"} {
		p, err := page.Open(place)
		if err != nil {
			t.Fatal(err)
		}
		note(watched(t, c, p), place)
	}
	return out
}

// The last line of each page is a command of netctl; commands that change nothing succeed.
func TestFootersAreCommands(t *testing.T) {
	m := peopled(t)
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte("kind: network\ntenantName: acme\nnetworkName: none\nsubnet: 10.5.0.0/24\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := footers(t, m.Client)
	var lines []string
	for line := range all {
		lines = append(lines, line)
	}
	changes := func(line string) bool {
		return slices.ContainsFunc([]string{" rm ", "-rm ", " delete ", " apply ", " handover"}, func(word string) bool { return strings.Contains(line+" ", word) })
	}
	slices.SortFunc(lines, func(a, b string) int { // what changes things comes last
		switch {
		case changes(a) && !changes(b):
			return 1
		case !changes(a) && changes(b):
			return -1
		}
		return strings.Compare(a, b)
	})
	for _, line := range lines {
		args, ok := strings.CutPrefix(strings.ReplaceAll(line, "FILE", file), "netctl ")
		var out, errs bytes.Buffer
		code := command.Run(t.Context(), &command.Factory{Streams: term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Now: time.Now}, Home: t.TempDir(),
			Getenv: func(name string) string { return map[string]string{"NETMASTER": m.URL}[name] }}, strings.Fields(args))
		// why has no switches to ask here; the cluster is not well; what the objects are used by may not be deleted.
		if fails := changes(line) || strings.HasPrefix(args, "why ") || args == "status" || args == "doctor" || strings.Contains(line, "nosuch"); !ok || code == term.Usage && !fails || code != term.OK && !fails {
			t.Errorf("%s: %s: exit %d: %s", all[line], line, code, errs.String())
		}
	}
	if len(lines) < 60 {
		t.Errorf("want 60 commands or more, got %d: %q", len(lines), lines)
	}
}
