// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

// A text is found in objects, endpoints and hosts; each result is a name that other commands take, and all formats have it.
func TestFind(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, line := range []string{"tenant create shop", "network create -t shop front -s 10.7.0.0/24", "policy create -t shop web-in", "group create -t shop front web -p web-in",
		"policy rule-add -t shop web-in one --direction in --protocol tcp --port 5432 --action allow", "service create -t shop cart -s front -l tier=web -p 80:8080:TCP"} {
		if got := netctl(t, t.Context(), m.URL, strings.Fields(line)...); got.code != 0 {
			t.Fatalf("%s: %+v", line, got)
		}
	}
	m.Endpoint(t, "shop", "front", "web", "web-1", "10.7.0.3")
	m.Registered(t, "h1", "192.0.2.1:9090")
	m.Kubernetes(t, &record.Service{ServiceName: record.ServiceMaster, HostAddr: "198.51.100.1", Port: 9999, Role: "leader"})
	labelled(t, m, "shop", "front", "web-1", map[string]string{"tier": "edge"})
	dockerNetwork(t, m)
	for _, row := range []struct{ line, out, err string }{
		{"find web --no-headers", "group/shop:web               exact   name        web     on front\npolicy/shop:web-in           prefix  name        web-in\n" +
			"endpoint/shop:front:web-1    prefix  endpointID  web-1  10.7.0.3 h1\n", ""},
		{"find 10.7.0.3 -o name", "endpoint/shop:front:web-1\nnetwork/shop:front\ndocknet/c26f3178ed0679348ce38dfc\n", ""},
		{"find 10.7.0.3 -q", "shop:front:web-1\nshop:front\nc26f3178ed0679348ce38dfc\n", ""},
		{"find tcp 5432 -o custom-columns=KIND:.kind,KEY:.key,RANK:.rank", "KIND  KEY              RANK\nrule  shop:web-in:one  exact\n", ""},
		{"find h1 -o csv", "Name,Match,Field,Value,About\nnode/h1,exact,name,h1,198.51.100.1\nnode/198.51.100.1,exact,host,h1,netmaster h1\n", ""},
		{"find tier=edge --no-headers", "endpoint/shop:front:web-1 exact labels tier=edge 10.7.0.3 h1\n", ""}, {"find edge -o name", "endpoint/shop:front:web-1\n", ""},
		{"find c26f --no-headers", "docknet/c26f3178ed06 prefix id c26f3178ed0679348ce38dfc network shop:front host h1\n", ""},
		{"find c26f -o name", "docknet/c26f3178ed0679348ce38dfc\n", ""},
		{"find 8080 -o jsonpath={.items[0].about}", "10.7.0.1\n", ""},
		{"find nowhere -o json", "{\n  \"items\": []\n}\n", ""}, {"find nowhere --no-headers", "", `nothing found for "nowhere"`},
		{"find web --limit 1 -o name", "group/shop:web\n", ""}, {"find web --limit 1 --no-headers", "group/shop:web  exact  name  web  on front\n", "1 of 3 results (--limit shows more)"},
		{"find", "", "expected TEXT"}, {"find web --limit 0", "", "--limit: got 0"}, {"find web --limit 201", "", "--limit: got 201"},
	} {
		got := netctl(t, t.Context(), m.URL, strings.Fields(row.line)...)
		if blank(got.out) != blank(row.out) || !strings.Contains(got.err, row.err) || (row.err == "") != (got.err == "") {
			t.Errorf("%s:\nwant %q and %q\ngot  %q and %q", row.line, row.out, row.err, got.out, got.err)
		}
	}
	names := strings.Fields(netctl(t, t.Context(), m.URL, "find", "shop", "-o", "name").out + netctl(t, t.Context(), m.URL, "find", "web", "-o", "name").out +
		netctl(t, t.Context(), m.URL, "find", "5432", "-o", "name").out + netctl(t, t.Context(), m.URL, "find", "h1", "-o", "name").out +
		netctl(t, t.Context(), m.URL, "find", "c26f", "-o", "name").out + "docknet/c26f3178ed06")
	for _, name := range names {
		for _, verb := range []string{"get", "describe"} {
			if verb == "describe" && (strings.HasPrefix(name, "node/") || strings.HasPrefix(name, "docknet/")) {
				continue
			}
			if got := netctl(t, t.Context(), m.URL, verb, name); got.code != 0 || got.out == "" {
				t.Errorf("%s %s: want the found object, got %+v", verb, name, got)
			}
		}
	}
	if len(names) < 5 {
		t.Errorf("want names of all kinds, got %q", names)
	}
	for _, name := range []string{"endpoint/shop:front:web-1", "group/shop:web", "service/shop:cart"} {
		if got := netctl(t, t.Context(), m.URL, "why", "endpoint/shop:front:web-1", name); strings.Contains(got.err, "not found") || got.code == 1 {
			t.Errorf("why to %s: got %+v", name, got)
		}
	}
}

// blank has one blank between words, so that the widths of columns do not count.
func blank(text string) (out string) {
	for line := range strings.Lines(text) {
		out += fmt.Sprintln(strings.Join(strings.Fields(line), " "))
	}
	return out
}
