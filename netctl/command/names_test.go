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
	of := func(tenant string) string { return "endpoint/n1." + tenant + "-c1\n" }
	for _, row := range []struct{ line, want string }{
		{"get all -q", of("default") + "global/global\nnetwork/default:n1\ntenant/blue\ntenant/default\n"},
		{"get all -t blue -q", of("blue") + "endpointGroup/blue:g\nglobal/global\nnetwork/blue:n1\ntenant/blue\ntenant/default\n"},
		{"get all -a -q", of("blue") + of("default") + "endpointGroup/blue:g\nglobal/global\nnetwork/blue:n1\nnetwork/default:n1\ntenant/blue\ntenant/default\n"},
		{"get ep -q", "c1\nc1\n"},
		{"get ep -t blue -q", "c1\n"},
		{"ep ls -a -q", "c1\nc1\n"},
		{"get all -o jsonpath={.networks[0].networkName}", "n1\n"},
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
