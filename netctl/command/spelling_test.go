// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// However a command prints an object, the others take it: by its name, its key, as flows and records call it.
func TestEverySpellingOfAnObject(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(line string) result {
		t.Helper()
		return netctl(t, context.Background(), m.URL, strings.Fields(line)...)
	}
	for _, line := range []string{"tenant create acme", "network create blue -t acme -s 10.1.1.0/24 -g 10.1.1.254", "policy create p -t acme",
		"policy rule-add p r -t acme -d in -l tcp -j deny", "group create blue web -t acme -p p", "service create shop -t acme --network blue --selector a=b --port 80:80:TCP"} {
		if got := run(line); got.code != 0 {
			t.Fatalf("%s: %s%s", line, got.out, got.err)
		}
	}
	if _, _, err := m.CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: "acme", NetworkName: "blue", EndpointID: "c1", ContainerID: "c1",
		ConfigEP: model.EndpointConfigRequest{Container: "c1", Host: "h1"}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ inspect, kind, shows, names string }{
		{"network inspect", "network", `"key": "acme:blue"`, "acme:blue blue.acme network/blue.acme network/acme:blue"},
		{"group inspect", "group", `"key": "acme:web"`, "acme:web web:acme group/web:acme group/acme:web"},
		{"policy inspect", "policy", `"key": "acme:p"`, "acme:p policy/acme:p"},
		{"policy rule-inspect", "rule", `"key": "acme:p:r"`, "acme:p:r rule/acme:p:r"},
		{"service inspect", "service", `"key": "acme:shop"`, "acme:shop shop:acme service/shop:acme"},
		{"endpoint inspect", "endpoint", `"homingHost": "h1"`, "c1 acme:blue:c1 endpoint/acme:blue:c1"},
		{"tenant inspect", "tenant", `"key": "acme"`, "acme tenant/acme"},
	} {
		for name := range strings.FieldsSeq(r.names) {
			for line, want := range map[string]string{r.inspect + " " + name: r.shows, "describe " + r.kind + " " + name: "", "get " + r.kind + " " + name: "",
				"history " + r.kind + " " + name: "create"} {
				if got := run(line); got.code != 0 || !strings.Contains(got.out, want) {
					t.Errorf("netctl %s: want %q, got %d and %s%s", line, want, got.code, got.out, got.err)
				}
			}
		}
	}
	for _, r := range []struct{ line, want string }{
		{"policy rule-ls acme:p", "r "},
		{"why endpoint/blue.acme-c1 group/acme:web -o json", "no containers"},
		{"why blue.acme-c1 service/acme:shop tcp 80 -o json", `"object": "acme:shop"`},
		{"why blue.acme-c1 shop:acme tcp 80 -o json", `"object": "acme:shop"`},
		{"policy rule-rm rule/acme:p:r", ""},
		{"network inspect network/nosuch.acme", `the key is "default:nosuch.acme"`},
		{"network inspect group/acme:web", "is an endpoint group, not a network"},
		{"group rm web:acme", ""},
		{"service rm service/shop:acme", ""},
		{"network inspect -t acme blue", `"key": "acme:blue"`},
		{"policy rule-inspect p", "required"},
		{"history network acme:gone", ""},
	} {
		if got := run(r.line); !strings.Contains(strings.ReplaceAll(got.out+got.err, `\"`, `"`), r.want) {
			t.Errorf("netctl %s: want %q, got %d and %s%s", r.line, r.want, got.code, got.out, got.err)
		}
	}
	// Two groups whose names cross: neither is taken for the other.
	for _, line := range []string{"tenant create web", "network create blue -t web -s 10.2.1.0/24", "group create blue acme -t web", "group create blue web -t acme"} {
		if got := run(line); got.code != 0 {
			t.Fatalf("%s: %s%s", line, got.out, got.err)
		}
	}
	if got := run("group rm web:acme"); got.code == 0 || !strings.Contains(got.err, "select one with --tenant") {
		t.Errorf("a name of two: want an error that says so, got %d %s%s", got.code, got.out, got.err)
	}
	if got := run("group rm web -t acme"); got.code != 0 {
		t.Errorf("with the tenant: got %d %s", got.code, got.err)
	}
}
