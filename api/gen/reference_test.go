// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/yaml"
)

// The example of every page passes the server's checks: it has known fields of the right types with valid values.
func TestExamplesAreValid(t *testing.T) {
	kinds, err := load("../schema", nil)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string][]byte{}
	if err := reference(pages, kinds); err != nil {
		t.Fatal(err)
	}
	for _, k := range model.Kinds() {
		page := string(pages["docs/reference/"+k.Name+".md"])
		_, example, has := strings.Cut(page, "```yaml\n")
		if !has {
			if k.Writable() && k.Command.Use != "" {
				t.Errorf("%s: the page has no example", k.Name)
			}
			continue
		}
		example, _, _ = strings.Cut(example, "```")
		text, err := yaml.YAMLToJSON([]byte(example))
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		var named struct{ Kind string }
		if err := json.Unmarshal(text, &named); err != nil || named.Kind != k.Name {
			t.Errorf("%s: the example is of kind %q (%v)", k.Name, named.Kind, err)
		}
		object := k.New()
		if err := json.Unmarshal(text, object); err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		object.SetDefaults()
		if err := object.Validate(); err != nil {
			t.Errorf("%s: the server would refuse the example: %v", k.Name, err)
		}
		if key := object.ObjectKey(); key == "" || strings.HasPrefix(key, ":") || strings.HasSuffix(key, ":") {
			t.Errorf("%s: the example's key is %q", k.Name, key)
		}
	}
}

func TestPagesShowLimits(t *testing.T) {
	tests := []struct {
		field field
		want  string
	}{
		{field{Type: "string", Enum: []string{"a", "b"}}, "one of `a`, `b`"},
		{field{Type: "string", Format: "ipv4", MaxLen: 15}, model.Formats()["ipv4"].Description + "; at most 15 bytes"},
		{field{Type: "int", Min: 0, Max: 63}, "0 to 63"},
		{field{Type: "int", Min: 2, Max: 9, Optional: true}, "0, or 2 to 9"},
		{field{Type: "strings"}, ""},
	}
	for _, test := range tests {
		if got := test.field.Limits(); got != test.want {
			t.Errorf("%+v: want %q, got %q", test.field, test.want, got)
		}
	}
}
