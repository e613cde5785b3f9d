// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Apply restores the objects of an earlier moment, and delete removes those that were created later, so that the intent is as before.
func TestRestore(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(in, line string) result {
		t.Helper()
		return netctlFed(t, context.Background(), m.URL, in, strings.Fields(line)...)
	}
	good := func(in, line string) string {
		t.Helper()
		got := run(in, line)
		if got.code != 0 {
			t.Fatalf("netctl %s: %s", line, got.err)
		}
		return got.out
	}
	good("", "tenant create shop")
	good("", "network create -t shop front -s 10.1.1.0/24 -e vlan -p 77")
	good("", "policy create -t shop p")
	good("", "policy rule-add -t shop p 1 -d in -l tcp -P 80 -j deny")
	good("", "group create -t shop front web -p p")
	good("", "global set --arp-mode flood")
	before := good("", "export")
	at := fmt.Sprint(m.Catalog.Revision())

	good("", "group rm -t shop web")
	good("", "network rm -t shop front")
	good("", "policy rule-rm -t shop p 1")
	good("", "global set --arp-mode proxy")
	good("", "tenant create later")
	good("", "network create -t later back -s 10.1.1.0/24")

	was := good("", "history --at "+at)
	if was != before {
		t.Errorf("want the intent as it was exported:\n%s\ngot\n%s", before, was)
	}
	out := good(was, "apply -f -")
	for _, want := range []string{"global global updated", "tenant shop unchanged", "network shop:front created", "endpointGroup shop:web created", "rule shop:p:1 created"} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("want %q, got\n%s", want, out)
		}
	}
	if out := good(good("", "history --later --at "+at), "delete -f -"); out != "network later:back deleted\ntenant later deleted\n" {
		t.Errorf("want what came later deleted, got\n%s", out)
	}
	if now := good("", "export"); now != before {
		t.Errorf("want\n%s\ngot\n%s", before, now)
	}
	if got, want := good("", "history -t shop --at "+at), good("", "export -t shop"); got != want || strings.Contains(got, "kind: global") || strings.Contains(got, "tenantName: default") {
		t.Errorf("of one tenant: want\n%s\ngot\n%s", want, got)
	}
	if got := good("", "history network -t default --at "+at); got != "" {
		t.Errorf("of one kind and a tenant that had none, got\n%s", got)
	}
	if got := good("", "history network --at "+at); !strings.HasPrefix(got, "---\nkind: network\ntenantName: shop\n") || strings.Count(got, "kind:") != 1 {
		t.Errorf("of one kind, got\n%s", got)
	}
	if got := good("", "history tenant --at "+at+" -j"); !strings.HasPrefix(got, "[\n  {\n    \"key\":") && !strings.Contains(got, `"tenantName": "shop"`) {
		t.Errorf("as JSON, got\n%s", got)
	}
	for line, want := range map[string]string{
		"history --later":                  "--later requires --at",
		"history network x --at 3 --later": "--later requires --at",
		"history endpoint --at " + at:      "cannot be stored",
		"history rubbish --at " + at:       "unknown",
		"history --at tomorrow":            "--at: got tomorrow",
	} {
		if got := run("", line); got.code == 0 || !strings.Contains(got.err, want) {
			t.Errorf("netctl %s: want a refusal with %q, got %d %s", line, want, got.code, got.err)
		}
	}
}
