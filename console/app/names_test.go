// SPDX-License-Identifier: Apache-2.0

package app

import (
	"os"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/page"
)

// A page goes by its name, its plural and its short names, in any case, as in netctl; the help lists all of them.
func TestNamesOfPages(t *testing.T) {
	owner := map[string]string{}
	var help strings.Builder
	for _, k := range entryKeys() {
		help.WriteString(k.Help().Key + " " + k.Help().Desc + "\n")
	}
	text, err := os.ReadFile("../../docs/reference/console.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Entries() {
		want := e.Make().Command
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			if was := owner[strings.ToLower(name)]; was != "" {
				t.Errorf("%s is %s and %s", name, was, e.Name)
			}
			owner[strings.ToLower(name)] = e.Name
			if p, err := page.Open(strings.ToUpper(name)); err != nil || p.Command != want {
				t.Errorf(":%s: want page %s, got %v, %v", name, e.Name, p, err)
			}
			if !strings.Contains(help.String(), name) {
				t.Errorf("the help does not mention %s", name)
			}
		}
		if row := "| `" + e.Name + "` | "; !strings.Contains(string(text), row) {
			t.Errorf("docs/reference/console.md lacks a row of page %s", e.Name)
		}
	}
	for name, want := range map[string]*model.Kind{"groups": model.KindEndpointGroup(), "svc": model.KindServiceLB(), "eps": model.KindEndpoint(), "nets": model.KindNetwork()} {
		if p, err := page.Open(name); err != nil || p.Name != want.Many {
			t.Errorf(":%s: want %s, got %v, %v", name, want.Many, p, err)
		}
	}
	if p, err := page.Open("nodes"); err != nil || p.Name != "overview" {
		t.Errorf(":nodes: want the overview, got %v, %v", p, err)
	}
	if p, err := page.Open("svc/acme/front"); err != nil || p.Command != "netctl describe servicelb --tenant acme front" {
		t.Errorf(":svc/acme/front: got %v, %v", p, err)
	}
}
