// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

const shopManifest = `kind: endpointGroup
tenantName: shop
groupName: web
networkName: front
---
# a comment
- kind: network
  tenantName: shop
  networkName: front
  encap: vlan
  pktTag: 77
  subnet: 10.7.0.0/24
- {"kind": "tenant", "tenantName": "shop"}
`

// apply accepts the output of export, and export prints the same afterwards.
func TestApplyExport(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte(shopManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		line string
		code int
		out  string
	}{
		{"diff -f FILE", 10, "+ tenant shop\n+ network shop:front\n+ endpointGroup shop:web\n"},
		{"apply -f FILE --dry-run", 0, "tenant shop created (dry run)\nnetwork shop:front created (dry run)\nendpointGroup shop:web created (dry run)\n"},
		{"apply -f FILE", 0, "tenant shop created\nnetwork shop:front created\nendpointGroup shop:web created\n"},
		{"apply -f FILE --wait=1s", 0, "tenant shop unchanged\nnetwork shop:front unchanged\nendpointGroup shop:web unchanged\n"},
		{"diff -f FILE", 0, ""},
		{"export -t shop", 0, "---\nkind: tenant\ntenantName: shop\n---\nkind: network\ntenantName: shop\nnetworkName: front\nencap: vlan\nnwType: data\npktTag: 77\nsubnet: 10.7.0.0/24\n" +
			"---\nkind: endpointGroup\ntenantName: shop\ngroupName: web\nnetworkName: front\n"},
		{"get net -t shop -o name", 0, "network/shop:front\n"},
		{"get network front -t shop -o jsonpath={.pktTag}", 0, "77\n"},
		{"delete -f FILE", 0, "endpointGroup shop:web deleted\nnetwork shop:front deleted\ntenant shop deleted\n"},
		{"delete -f FILE", 0, "endpointGroup shop:web absent\nnetwork shop:front absent\ntenant shop absent\n"},
		{"apply", 1, ""},
		{"apply -f /nowhere", 4, ""},
		{"get teapot", 1, ""},
		{"explain conflict", 0, "error code conflict (HTTP 409, exit 3)\n\nAn object with this name, tag, subnet or address is already there.\nChoose another, or remove the one that the message names.\n"},
		{"explain network.encap", 0, "network.encap (string)\n\nHow frames cross the underlay.\nrequired\none of: vlan, vxlan\n"},
		{"explain network.colour", 1, ""},
		{"explain pool-low -o jsonpath={.severities}", 0, "[\"warning\"]\n"},
		{"explain conflict -o jsonpath={.status}", 0, "409\n"},
		{"explain network.encap -o jsonpath={.enum[1]}", 0, "vxlan\n"},
		{"explain network -o jsonpath={.key}", 0, "[\"tenantName\",\"networkName\"]\n"},
		{"explain tenant -o name", 0, "tenant\n"},
		{"explain tunnel-los", 1, ""},
	}
	for _, s := range steps {
		got := netctl(t, ctx, m.URL, strings.Fields(strings.ReplaceAll(s.line, "FILE", file))...)
		if got.code != s.code || s.out != "" && got.out != s.out || s.code != 0 && got.err == "" {
			t.Errorf("netctl %s: want exit %d and\n%s\ngot %d and\n%s%s", s.line, s.code, s.out, got.code, got.out, got.err)
		}
	}
	whole := netctl(t, ctx, m.URL, "export").out
	if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := netctl(t, ctx, m.URL, "apply", "-f", file); got.code != 0 || strings.Contains(got.out, "updated") {
		t.Errorf("apply of an export changes nothing, got %d %s%s", got.code, got.out, got.err)
	}
	if again := netctl(t, ctx, m.URL, "export").out; again != whole {
		t.Errorf("export after apply:\nwant\n%s\ngot\n%s", whole, again)
	}
}

// Deleting everything in the output of export deletes the settings too; they come back with the file.
func TestSetDeleted(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	file := filepath.Join(t.TempDir(), "all.yaml")
	if err := os.WriteFile(file, []byte(netctl(t, ctx, m.URL, "export").out), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		line string
		code int
		out  string
	}{
		{"delete -f " + file, 0, "global global deleted\n"},
		{"global info", 0, ""},
		{"global set --fwd-mode routing", 3, ""},
		{"apply -f " + file, 0, "global global created\ntenant default created\n"},
		{"global set --fwd-mode routing", 0, ""},
	} {
		got := netctl(t, ctx, m.URL, strings.Fields(s.line)...)
		if got.code != s.code || !strings.HasSuffix(got.out, s.out) || s.code != 0 && !strings.Contains(got.err, "netctl apply -f FILE") {
			t.Errorf("netctl %s: want exit %d and %q, got %d, %q, %q", s.line, s.code, s.out, got.code, got.out, got.err)
		}
	}
}
