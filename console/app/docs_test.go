// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/page"
)

// The tables of pages and keys in the documentation are made from their declarations; -update writes them again.
func TestDocumentation(t *testing.T) {
	const path, begin, end = "../../docs/reference/console.md", "## Pages\n", "Column sorts take the initial"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("want the tables between %q and %q", begin, end)
	}
	want := before + begin + documentation(t) + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("docs/reference/console.md is not what the pages declare: go test ./console/app -run TestDocumentation -update")
	}
}

func documentation(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n`:` goes to a page by any of its names, in any case; `?` lists them. The names of kinds are those that `netctl get` takes. `:q` quits, `:at TIME` goes to an [earlier moment](../how-to/past.md), and `:now` returns.\n\n| page | number | other names | shows |\n|---|---|---|---|\n")
	for i, e := range page.Entries() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", e.Name, page.NumberKey(i), strings.Join(e.Aliases, " "), e.About)
	}
	b.WriteString("\n## Keys\n")
	table := func(title string, keys []key.Binding) {
		fmt.Fprintf(&b, "\n%s:\n\n| key | does |\n|---|---|\n", title)
		for _, k := range keys {
			fmt.Fprintf(&b, "| `%s` | %s |\n", k.Help().Key, k.Help().Desc)
		}
	}
	table("Everywhere", bindings(globalKeys()))
	table("A recording that is played, on every page", bindings(replayKeys()))
	table("An earlier moment, on every page", bindings(pastKeys()))
	lines, rows := bodyKeys(page.Leader()), bodyKeys(opened(t, "tables"))
	table("Text", lines)
	table("Rows", rows)
	s, _ := fixed()
	for _, x := range []struct{ title, path string }{{"Overview", "overview"}, {"A host", "nodes/h1"}, {"Topology", "topology"}, {"Matrix", "matrix"}, {"Matrix of pods", "podmatrix/shop"}, {"Addresses", "addresses"}, {"The map of a network", "addresses/acme/blue"},
		{"IPv6 addresses", "addresses/acme/blue:ipv6"}, {"Hosts with their flows", "flows"}, {"The flow tables of a host", "flows/h1"}, {"Flows", "flows/h1:all"}, {"Kinds", "tables"},
		{"Tables of objects", "endpoints"}, {"Leader", "leader"}, {"Events", "events"}, {"Why", "why"}} {
		p := opened(t, x.path).Found(s)
		keys, title := pageKeys(p), x.title
		for _, common := range []struct {
			what string
			keys []key.Binding
		}{{"text", lines}, {"rows", rows}} {
			if own := bodyKeys(p); len(own) > 0 && slices.EqualFunc(own, common.keys, func(a, b key.Binding) bool { return a.Help() == b.Help() }) {
				keys, title = keys[len(common.keys):], title+", besides those of "+common.what
			}
		}
		table(title, keys)
	}
	table("Handing over", pageKeys(page.Handover()))
	table("A change that is to be confirmed, besides those of text", pageKeys(page.Edited(page.Change{Objects: page.Objects{Kind: model.KindNetwork(), Keys: []string{"acme:blue"}}, Object: &model.Network{}}, []byte{}))[len(lines):])
	return b.String() + "\n"
}

// opened is the page of a path.
func opened(t testing.TB, path string) *page.Page {
	t.Helper()
	p, err := page.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func bodyKeys(p *page.Page) (out []key.Binding) {
	for _, k := range p.Body.Keys() {
		out = append(out, k.Binding)
	}
	return out
}
