// SPDX-License-Identifier: Apache-2.0

package term

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

type item struct {
	Name   string            `json:"name"`
	Size   int               `json:"size"`
	Labels map[string]string `json:"labels,omitempty"`
}

func TestFormats(t *testing.T) {
	list := []item{{"b", 1_000_000, map[string]string{"app": "x"}}, {"a", 2, nil}}
	for _, row := range []struct{ format, want string }{
		{"json", "{\n  \"items\": [\n    {\n      \"name\": \"b\",\n      \"size\": 1000000,\n      \"labels\": {\n        \"app\": \"x\"\n      }\n    },\n    {\n      \"name\": \"a\",\n      \"size\": 2\n    }\n  ]\n}\n"},
		{"yaml", "items:\n- labels:\n    app: x\n  name: b\n  size: 1000000\n- name: a\n  size: 2\n"},
		{"name", "n/b\nn/a\n"},
		{"csv", "Name,Size\nb,1M\na,2\n"},
		{"table", "Name   Size\n-----  ----\nb      1M\na      2\n"},
		{"jsonpath={.items[*].size}", "1000000 2\n"},
		{"jsonpath={[0].name}", "b\n"},
		{"jsonpath={range [*]}{.name};{end}", "b;a;\n"},
		{"jsonpath={range .items[*]}{.name}{\"\\n\"}{end}", "b\na\n\n"},
		{"jsonpath={.items[?(@.size>5)].name}", "b\n"},
		{"jsonpath=.items[0].labels", "{\"app\":\"x\"}\n"},
		{"go-template={{range .items}}{{.name}}={{.size}} {{end}}", "b=1000000 a=2 "},
		{"custom-columns=N:name,APP:.labels.app,SIZE:{.size}", "N  APP     SIZE\nb  x       1000000\na  <none>  2\n"},
	} {
		f, err := ParseFormat(row.format)
		if err != nil {
			t.Fatal(err)
		}
		l := &Listing{Table: Table{Columns: []model.Column{{Header: "Name", Dashes: 5}, {Header: "Size"}}}, Value: list}
		l.Row("n/b", []string{"b", "1M"})
		l.Row("n/a", []string{"a", "2"})
		var b strings.Builder
		if err := l.Write(&b, f); err != nil || b.String() != row.want {
			t.Errorf("%s: want\n%s\ngot\n%s, %v", row.format, row.want, b.String(), err)
		}
	}
	for _, wrong := range []string{"xml", "jsonpath", "table=x", "jsonpath={.x", "go-template={{", "custom-columns=", "custom-columns=A"} {
		if _, err := ParseFormat(wrong); CodeOf(err) != Usage {
			t.Errorf("%s: want a refusal, got %v", wrong, err)
		}
	}
}

// Rows are sorted with their names and their items, by a column in any spelling or by a field of the items.
func TestListing_Sort(t *testing.T) {
	for _, row := range []struct{ by, format, want string }{
		{"size", "name", "a\nc\nb\n"},
		{"SIZE", "jsonpath={.items[*].name}", "a c b\n"},
		{".labels.app", "csv", "a,2\nb,1M\nc,10k\n"},
		{"labels.app", "jsonpath={.items[*].name}", "a b c\n"},
		{"my-name", "csv", "a,2\nb,1M\nc,10k\n"},
	} {
		f, _ := ParseFormat(row.format)
		f.Sort, f.Headless = row.by, true
		l := &Listing{Table: Table{Columns: []model.Column{{Header: "My Name"}, {Header: "Size"}}}, Value: []item{{"c", 10_000, map[string]string{"app": "z"}}, {"b", 1_000_000, map[string]string{"app": "x"}}, {"a", 2, nil}}}
		for _, r := range [][]string{{"c", "10k"}, {"b", "1M"}, {"a", "2"}} {
			l.Row(r[0], r)
		}
		var b strings.Builder
		if err := l.Write(&b, f); err != nil || b.String() != row.want {
			t.Errorf("by %s as %s: want %q, got %q, %v", row.by, row.format, row.want, b.String(), err)
		}
	}
	l := &Listing{Table: Table{Columns: []model.Column{{Header: "Name"}}}, Value: []item{{Name: "a"}}}
	l.Row("a", []string{"a"})
	if err := l.Write(&strings.Builder{}, Format{Name: "json", Sort: "colour"}); CodeOf(err) != Usage || !strings.Contains(err.Error(), "want a column (Name)") {
		t.Errorf("an unknown column: want a refusal, got %v", err)
	}
}

func FuzzFormat(f *testing.F) {
	for _, s := range []string{"jsonpath={.items[*].name}", "go-template={{.items}}", "custom-columns=A:.name", "jsonpath={range [*]}{.name}{end}"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		if format, err := ParseFormat(text); err == nil && format.Name != "go-template" { // which may run for as long as it wants
			_ = format.Write(&strings.Builder{}, []item{{"a", 1, nil}})
		}
	})
}
