// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/term"
)

const policyManifest = `
- {kind: tenant, tenantName: shop}
- {kind: network, tenantName: shop, networkName: front, encap: vxlan, subnet: 10.7.0.0/24}
- {kind: policy, tenantName: shop, policyName: in}
- {kind: rule, tenantName: shop, policyName: in, ruleId: "1", direction: in, action: allow, protocol: tcp, port: 80}
- {kind: rule, tenantName: shop, policyName: in, ruleId: "2", direction: in, action: deny}
- {kind: endpointGroup, tenantName: shop, networkName: front, groupName: web, policies: [in]}
`

// change is a command line, with text as the file FILE, and what it answers.
type change struct {
	line, text string
	code       int
	out, err   string // a part of it
}

func changes(t *testing.T, url string, steps []change) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.yaml")
	for _, s := range steps {
		if err := os.WriteFile(file, []byte(s.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := netctl(t, t.Context(), url, strings.Fields(strings.ReplaceAll(s.line, "FILE", file))...)
		if got.code != s.code || got.out != s.out || !strings.Contains(got.err, s.err) || s.err == "" && got.err != "" {
			t.Errorf("netctl %s: want exit %d, %q and\n%s\ngot %d, %q and\n%s", s.line, s.code, s.err, s.out, got.code, got.err, got.out)
		}
	}
}

// A file stays the source of its objects: a rule of it changes in place, unchangeable differences are listed beside the rest, and objects
// that the file no longer has are deleted on request.
func TestFilesAreTheSource(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	edited := strings.NewReplacer("port: 80", "port: 8080", "10.7.0.0/24", "10.8.0.0/24").Replace(policyManifest)
	ruleOnly := strings.Replace(policyManifest, "port: 80", "port: 8080", 1)
	shorter := strings.Replace(ruleOnly, `- {kind: rule, tenantName: shop, policyName: in, ruleId: "2", direction: in, action: deny}`, "", 1)
	wrong := ruleOnly + "- {kind: network, tenantName: shop, networkName: back, encap: vxlan, subnet: 10.7.0.0/25}\n"
	changes(t, m.URL, []change{
		{"apply -f FILE", policyManifest, 0, "tenant shop created\nnetwork shop:front created\npolicy shop:in created\nendpointGroup shop:web created\n" +
			"rule shop:in:1 created\nrule shop:in:2 created\n", ""},
		{"diff -f FILE", edited, 10, "! network shop:front (affects group shop:web)\n    subnet: 10.7.0.0/24 -> 10.8.0.0/24\n" +
			"    Cant change network parameters after its created. Key: shop:front (delete the network and create it again)\n" +
			"~ rule shop:in:1 (affects group shop:web)\n    port: 80 -> 8080\n", "2 of 6 objects differ, 1 of which apply would refuse"},
		{"diff -f FILE", wrong, 3, "! network shop:back\n    subnet 10.7.0.0-10.7.0.127 overlaps with 10.7.0.0/24 of network shop:front (choose a subnet that the tenant does not use)\n" +
			"~ rule shop:in:1 (affects group shop:web)\n    port: 80 -> 8080\n", "2 of 7 objects differ, 1 of which apply would refuse"},
		{"apply -f FILE", ruleOnly, 0, "tenant shop unchanged\nnetwork shop:front unchanged\npolicy shop:in unchanged\nendpointGroup shop:web unchanged\n" +
			"rule shop:in:1 updated\nrule shop:in:2 unchanged\n", ""},
		{"apply -f FILE --prune", shorter, 1, "", "--prune requires --selector LABELS or --tenant TENANT"},
		{"apply -f FILE --prune -t shop", "{kind: tenant, tenantName: other}", 1, "", "the files have no object of tenant shop"},
		{"diff -f FILE --prune -t shop", shorter, 10, "- rule shop:in:2 (affects group shop:web)\n", "1 of 6 objects differ"},
		{"apply -f FILE --prune -t shop", shorter, 10, "tenant shop unchanged (dry run)\nnetwork shop:front unchanged (dry run)\npolicy shop:in unchanged (dry run)\n" +
			"endpointGroup shop:web unchanged (dry run)\nrule shop:in:1 unchanged (dry run)\nrule shop:in:2 deleted (dry run) (affects group shop:web)\n",
			"nothing was changed: 1 objects that are not in the files would be deleted; use --yes to delete them"},
		{"get rule -t shop", "", 0, "Tenant  Policy  Rule  Direction  Priority  From  To         Protocol  Port  Action\n------  ------  ----  ---------  --------  ----  --         --------  ----  ------\n" +
			"shop    in      1     in         1         any   group web  tcp       8080  allow\nshop    in      2     in         1         any   group web  any       any   deny\n", ""},
		{"apply -f FILE --prune -t shop --yes", shorter, 0, "tenant shop unchanged\nnetwork shop:front unchanged\npolicy shop:in unchanged\n" +
			"endpointGroup shop:web unchanged\nrule shop:in:1 unchanged\nrule shop:in:2 deleted\n", ""},
		{"apply -f FILE --prune -t shop", shorter, 0, "tenant shop unchanged\nnetwork shop:front unchanged\npolicy shop:in unchanged\n" +
			"endpointGroup shop:web unchanged\nrule shop:in:1 unchanged\n", ""},
	})
}

// A deletion needs the kind and the name: in a file, and on the command line.
func TestDeleteByName(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	changes(t, m.URL, []change{
		{"apply -f FILE", policyManifest, 0, "tenant shop created\nnetwork shop:front created\npolicy shop:in created\nendpointGroup shop:web created\n" +
			"rule shop:in:1 created\nrule shop:in:2 created\n", ""},
		{"delete rule shop:in:1 shop:in:2 --dry-run", "", 0, "rule shop:in:1 deleted (dry run) (affects group shop:web)\nrule shop:in:2 deleted (dry run) (affects group shop:web)\n", ""},
		{"delete rule shop:in:1 shop:in:7", "", 3, "", "rule not found"},
		{"delete rule/shop:in:1", "", 0, "rule shop:in:1 deleted\n", ""},
		{"delete -f FILE", "- {kind: network, tenantName: shop, networkName: front}\n- {kind: endpointGroup, tenantName: shop, groupName: web}\n", 0,
			"endpointGroup shop:web deleted\nnetwork shop:front deleted\n", ""},
		{"delete -f FILE", "{kind: network, tenantName: shop}", 3, "", "networkName is missing"},
		{"delete -t shop policy in", "", 0, "policy shop:in deleted\n", ""},
		{"delete policy", "", 1, "", "expected KIND NAME or KIND -l SELECTOR, got only policy"},
		{"delete", "", 1, "", "KIND NAME or -f FILE is required"},
		{"tenant rm shop", "", 0, "Deleting tenant shop\n", ""},
	})
}

// The refusal to delete a tenant that has objects names a command that does it.
func TestTenantRefusalNamesACommand(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte(policyManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := netctl(t, t.Context(), m.URL, "apply", "-f", file); got.code != 0 {
		t.Fatal(got.err)
	}
	refused := netctl(t, t.Context(), m.URL, "tenant", "rm", "shop")
	if want := "netctl tenant rm shop --cascade"; refused.code != 3 || !strings.Contains(refused.err, want) {
		t.Fatalf("want a refusal with %q, got %+v", want, refused)
	}
	if got := netctl(t, t.Context(), m.URL, "tenant", "rm", "shop", "--cascade", "--yes"); got.code != 0 || !strings.Contains(got.out, "tenant shop deleted") {
		t.Errorf("got %+v", got)
	}
}

// Objects change in the person's editor: in place, unless the text is no such object, or somebody else has changed it meanwhile.
func TestEdit(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte(policyManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := netctl(t, t.Context(), m.URL, "apply", "-f", file); got.code != 0 {
		t.Fatal(got.err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	for _, row := range []struct {
		name, script string // the script edits $1
		code         int
		out, err     string
		kept         int // drafts that stay
	}{
		{"saved as it was", "true", 0, "no changes\n", "", 0},
		{"a port", "sed -i 's/^port: 80$/port: 8080/' $1", 0, "~ rule shop:in:1\n    port: 80 -> 8080\n", "", 0},
		{"the editor fails", "exit 1", 4, "", "the editor", 0},
		{"another object", "sed -i 's/^ruleId: .*/ruleId: \"9\"/' $1", 1, "", "the text must be rule shop:in:1", 1},
		{"refused", "echo 'fromEndpointGroup: mail' >> $1", 3, "", "your text is kept: netctl apply -f ", 2},
	} {
		editor := filepath.Join(t.TempDir(), "editor")
		if err := os.WriteFile(editor, []byte("#!/bin/sh\n"+row.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		f := &Factory{Streams: term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Now: time.Now}, Home: t.TempDir(),
			Getenv: func(name string) string { return map[string]string{"NETMASTER": m.URL, "EDITOR": editor}[name] }}
		code := Run(t.Context(), f, []string{"edit", "rule/shop:in:1"})
		drafts, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "contiv-*.yaml"))
		if code != row.code || out.String() != row.out || !strings.Contains(errs.String(), row.err) || len(drafts) != row.kept {
			t.Errorf("%s: want exit %d, %q, %q and %d drafts, got %d, %q, %q and %v", row.name, row.code, row.out, row.err, row.kept, code, out.String(), errs.String(), drafts)
		}
	}
	c := &client.Client{Base: m.URL, HTTP: http.DefaultClient}
	before, err := c.Get(t.Context(), model.KindRule(), "shop:in:1")
	if err != nil {
		t.Fatal(err)
	}
	if got := netctl(t, t.Context(), m.URL, "apply", "-f", file); got.code != 0 || !strings.Contains(got.out, "rule shop:in:1 updated") {
		t.Fatalf("%+v", got)
	}
	text := "{kind: rule, tenantName: shop, policyName: in, ruleId: '1', direction: in, action: deny}"
	if _, _, err := applyEdited(t.Context(), c, before, []byte(text), false); err == nil || !strings.Contains(err.Error(), "rule shop:in:1 has been changed meanwhile") {
		t.Errorf("changed meanwhile: want a refusal, got %v", err)
	}
	if now, err := c.Get(t.Context(), model.KindRule(), "shop:in:1"); err != nil || now.Field("action") != "allow" {
		t.Errorf("want the other's change to stay, got %+v, %v", now, err)
	}
}
