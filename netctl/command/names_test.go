// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/term"
)

// Every name of a kind lists its objects: the type, the command, plurals and short names.
func TestEveryNameOfAKind(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(args ...string) result { t.Helper(); return netctl(t, context.Background(), m.URL, args...) }
	list := run("explain")
	for _, k := range model.Kinds() {
		if k.Command.Use == "" {
			continue
		}
		want := run("get", k.Name)
		for _, name := range append([]string{strings.ToUpper(k.Name), k.Many}, k.Names...) {
			if got := run("get", name); got.code != term.OK || got.out != want.out {
				t.Errorf("get %s: want what get %s prints, got %+v", name, k.Name, got)
			}
			if k.Command.Under == "" && !k.Command.Single && name == strings.ToLower(name) {
				if got := run(name, "ls"); got.code != term.OK {
					t.Errorf("%s ls: %+v", name, got)
				}
			}
			if !strings.Contains(strings.ToLower(list.out), strings.ToLower(name)) {
				t.Errorf("explain does not list %s", name)
			}
		}
	}
	for _, name := range []string{"groups", "svc", "services", "policies", "networks", "eps", "rules"} { // as people type them
		if got := run("get", name); got.code != term.OK {
			t.Errorf("get %s: %+v", name, got)
		}
	}
}

// get all shows every kind's objects of the tenant, and of all tenants with --all.
func TestGetAll(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(line string) result {
		t.Helper()
		return netctl(t, context.Background(), m.URL, strings.Fields(line)...)
	}
	for _, line := range []string{"tenant create blue", "network create -s 10.1.1.0/24 n1", "network create -t blue -s 10.1.1.0/24 n1", "group create -t blue n1 g"} {
		if got := run(line); got.code != term.OK {
			t.Fatalf("%s: %+v", line, got)
		}
	}
	m.Endpoint(t, "default", "n1", "", "c1", "")
	m.Endpoint(t, "blue", "n1", "g", "c1", "")
	of := func(tenant string) string { return "endpoint/" + tenant + ":n1:c1\n" }
	for _, row := range []struct{ line, want string }{
		{"get all -q", of("default") + "global/global\nnetwork/default:n1\ntenant/blue\ntenant/default\n"},
		{"get all -t blue -q", of("blue") + "group/blue:g\nglobal/global\nnetwork/blue:n1\ntenant/blue\ntenant/default\n"},
		{"get all -a -q", of("blue") + of("default") + "group/blue:g\nglobal/global\nnetwork/blue:n1\nnetwork/default:n1\ntenant/blue\ntenant/default\n"},
		{"get ep -q", "c1\nc1\n"},
		{"get ep -t blue -q", "c1\n"},
		{"ep ls -a -q", "c1\nc1\n"},
		{"get all -o jsonpath={.items[?(@.kind==\"network\")].networkName}", "n1\n"},
	} {
		if got := run(row.line); got.code != term.OK || got.out != row.want {
			t.Errorf("%s: want %q, got %+v", row.line, row.want, got)
		}
	}
	if got := run("get all"); !strings.Contains(got.out, "\nnetworks\nTenant ") || strings.Contains(got.out, "blue  ") && strings.Contains(got.out, "endpointGroups") {
		t.Errorf("want a table for each kind of the tenant, got %s", got.out)
	}
	for line, code := range map[string]int{"get all -t nosuch": term.Server, "ep ls -a -t blue": term.Usage} {
		if got := run(line); got.code != code {
			t.Errorf("%s: want exit %d, got %+v", line, code, got)
		}
	}
}

// Other commands accept the output of -o name, whatever the tenant; -q prints the same as in the original.
func TestPrintedNamesAreTaken(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(line string) result {
		t.Helper()
		return netctl(t, context.Background(), m.URL, strings.Fields(line)...)
	}
	for _, line := range []string{"tenant create blue", "network create -t blue -s 10.1.1.0/24 n1", "policy create -t blue p", "policy rule-add -t blue p 1", "group create -t blue -p p n1 g",
		"netprofile create -t blue -b 1Mbps np", "app-profile create -t blue -g g app", "external-contracts create -t blue -p -a c x",
		"service create -t blue -s n1 -l a=b -p 80:80:TCP s", "bgp create h1 --router-ip 50.1.1.2/24 --as 1 --neighbor-as 2 --neighbor 50.1.1.3"} {
		if got := run(line); got.code != term.OK {
			t.Fatalf("%s: %+v", line, got)
		}
	}
	m.Endpoint(t, "blue", "n1", "g", "c1", "")
	all := map[string]bool{}
	for name := range strings.Lines(run("get all -a -o name").out) {
		all[strings.TrimSpace(name)] = true
	}
	seen := 0
	for _, k := range model.Kinds() {
		if k.Command.Use == "" {
			continue
		}
		listed := run("get " + k.Name + " -a -o name")
		for name := range strings.Lines(listed.out) {
			name = strings.TrimSpace(name)
			seen++
			lines := []string{"get " + name, "describe " + name, "get " + k.Name + " " + name, "describe " + k.Name + " " + name}
			if k.Command.Has("inspect") && !k.Command.Single && k.Command.Under == "" {
				lines = append(lines, k.Command.Use+" inspect "+name)
			}
			if k.Name == "rule" {
				lines = append(lines, "policy rule-inspect "+name, "policy rule-inspect "+strings.TrimPrefix(name, "rule/"))
			}
			for _, line := range lines {
				if got := run(line); got.code != term.OK || got.out == "" {
					t.Errorf("%s: %+v", line, got)
				}
			}
			if again := run("get " + name + " -o name"); again.out != name+"\n" || !all[name] {
				t.Errorf("get %s -o name: want the same again, and in get all: %v, got %+v", name, all[name], again)
			}
		}
	}
	if seen < 10 {
		t.Errorf("want an object of each kind, got %d", seen)
	}
	for line, want := range map[string]string{
		"network inspect -t default blue:n1": "of tenant blue", "network inspect group/blue:g": "an endpoint group", "network rm a/b": "is not a kind", "network create a/b -s 10.5.0.0/24": "a name cannot contain /", "get network n1 -w": "--watch is only for lists", "get network/blue:n1/x": "x",
	} {
		if got := run(line); got.code == term.OK || !strings.Contains(got.err, want) {
			t.Errorf("%s: want %q, got %+v", line, want, got)
		}
	}
	for _, r := range [][2]string{
		{"policy rule-ls blue:p -q", "1\n"}, {"policy rule-ls blue:p -o name", "rule/blue:p:1\n"}, {"network ls -t blue -q", "n1\n"},
		{"app-profile group-ls app-profile/blue:app", "g"}, {"service rm service/blue:s", "Deleting Service  s,blue\n"}, {"policy rule-rm rule/blue:p:1", ""},
		{"get rule -a -q", ""}, {"app-profile delete blue:app", ""},
	} {
		if got := run(r[0]); got.code != term.OK || got.out != r[1] {
			t.Errorf("%s: want %q, got %+v", r[0], r[1], got)
		}
	}
}

// Texts name several objects as English does.
func TestNouns(t *testing.T) {
	for line, want := range map[string]string{
		"policy ls --help": "List policies", "group create --help": "Create an endpoint group", "external-contracts ls --help": "List external contracts groups",
		"bgp rm --help": "Delete a BGP router", "netprofile ls --help": "List net profiles", "app-profile inspect --help": "Show an application profile with",
	} {
		if got := netctl(t, t.Context(), "http://127.0.0.1:1", strings.Fields(line)...); !strings.HasPrefix(got.out, want) {
			t.Errorf("netctl %s: want %q first, got %s", line, want, got.out)
		}
	}
}
