package fields

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestEach(t *testing.T) {
	tests := []struct{ name, list, want string }{
		{"nothing", ` [ ] `, ``},
		{"two objects", `[{"a":"x","b":7},{"b":-1.5e3,"c":{"a":"no"}}]` + "\n", `"x" 7 | - -1.5e3`},
		{"what is passed over", `[{"c":[{"a":"no","d":"]}\"{"}, [ ], {} ],"a" : [ "x", "y" ] }]`, `[ "x", "y" ] -`},
		{"words", `[{"a":null,"b":true}]`, `null true`},
		{"an empty object", `[{}]`, `- -`},
		{"the last time counts", `[{"a":1,"a":2}]`, `2 -`},
		{"a quote in a string", `[{"a":"\\\"","b":"\\"}]`, `"\\\"" "\\"`},
	}
	for _, test := range tests {
		var rows []string
		err := Each(test.list, []string{"a", "b"}, func(values []string) error {
			row := slices.Clone(values)
			for i, v := range row {
				if v == "" {
					row[i] = "-"
				}
			}
			rows = append(rows, strings.Join(row, " "))
			return nil
		})
		if got := strings.Join(rows, " | "); err != nil || got != test.want {
			t.Errorf("%s: want %s, got %s, %v", test.name, test.want, got, err)
		}
	}
}

func TestEachRefuses(t *testing.T) {
	for _, list := range []string{"", "null", "{}", "[", "[{", `[{"a"`, `[{"a":`, `[{"a":1`, `[{"a":1}`, `[null]`, `[{"a":1},]`, `[{"a":1}]x`, `[{"a":"x]`,
		`[{"a":"\`, `[{"a":[1}]`, `[{"a":[[`, `[{a:1}]`, `[{"a":}]`, `[{"a" 1}]`, `[{"a":1 "b":2}]`, `[{"a":?}]`} {
		if err := Each(list, []string{"a"}, func([]string) error { return nil }); err == nil {
			t.Errorf("%q must be refused", list)
		}
	}
	stop := errors.New("stop")
	if err := Each(`[{},{}]`, nil, func([]string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the receiver's error ends it, got %v", err)
	}
}

func TestText(t *testing.T) {
	for value, want := range map[string]string{`"x"`: "x", `""`: "", `"a\n"`: "refused", `7`: "refused", ``: "refused", `["x"]`: "refused"} {
		got, ok := Text(value)
		if !ok {
			got = "refused"
		}
		if got != want {
			t.Errorf("%s: want %q, got %q", value, want, got)
		}
	}
}

// What encoding/json takes for a list of objects is read as encoding/json reads it.
func FuzzEach(f *testing.F) {
	f.Add(`[{"a":"x","b":[1,{"a":"]"}]},{"b":"\"","a":null}]`)
	f.Add(`[{"a":1},`)
	f.Add(`[[{"a":"`)
	f.Fuzz(func(t *testing.T, list string) {
		var rows []string
		err := Each(list, []string{"a"}, func(values []string) error { rows = append(rows, values[0]); return nil })
		var known []map[string]json.RawMessage
		if json.Unmarshal([]byte(list), &known) != nil || known == nil || slices.ContainsFunc(known, func(m map[string]json.RawMessage) bool { return m == nil }) {
			return
		}
		if err != nil || len(rows) != len(known) {
			t.Fatalf("want %d objects, got %d, %v", len(known), len(rows), err)
		}
		for i, m := range known {
			if !strings.Contains(list, `\`) && strings.TrimSpace(string(m["a"])) != rows[i] {
				t.Errorf("object %d: want %s, got %s", i, m["a"], rows[i])
			}
		}
	})
}
