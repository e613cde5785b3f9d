package fields

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
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
		// As it comes at once, and byte by byte.
		for _, in := range []io.Reader{strings.NewReader(test.list), iotest.OneByteReader(strings.NewReader(test.list))} {
			var rows []string
			err := Each(in, []string{"a", "b"}, func(values [][]byte, _ []bool) error {
				row := []string{"-", "-"}
				for i, v := range values {
					if len(v) > 0 {
						row[i] = string(v)
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
}

// What is as in the object before is marked, and may still be used.
func TestEachMarksTheSame(t *testing.T) {
	const list = `[{"a":"x","b":{"c":"]"}}, {"a":"x","b":{"c":"]"}}, {"a":"xy","b":{"c":"]"}}, {"b":{"c":"}"}}, {"b":{"c":"}"},"a":"xy"}, {"a":7,"b":[]}, {"b":[],"a":7},
		{"a":"xy"}, {}, {}, {"a":"z","a":"z"}, {"a":"u","a":"z"}]`
	var kept [2][]byte
	var marks []string
	err := Each(strings.NewReader(list), []string{"a", "b"}, func(values [][]byte, same []bool) error {
		row := ""
		for i, v := range values {
			if same[i] && string(kept[i]) != string(v) {
				t.Errorf("%d: want %s as before, got %s", len(marks), kept[i], v)
			}
			if !same[i] {
				kept[i] = v
			}
			row += map[bool]string{true: "=", false: "."}[same[i]]
		}
		marks = append(marks, row)
		return nil
	})
	if got := strings.Join(marks, " "); err != nil || got != ".. == .= .. .= .. .= .. .= == .= .=" {
		t.Errorf("got %s, %v", got, err)
	}
}

// Lists and objects that are longer than what is read at once.
func TestLongLists(t *testing.T) {
	long := strings.Repeat("x", 3*atOnce)
	list := `[{"b":"` + long + `","a":"0"}` + strings.Repeat(`, {"b":[{"a":"no"}],"a":"1"}`, atOnce/8) + "]"
	for _, in := range []io.Reader{strings.NewReader(list), iotest.HalfReader(strings.NewReader(list)), iotest.DataErrReader(strings.NewReader(list))} {
		n := 0
		err := Each(in, []string{"a"}, func(values [][]byte, _ []bool) error {
			if want := min(n, 1); string(values[0]) != fmt.Sprintf("%q", fmt.Sprint(want)) {
				t.Fatalf("object %d: want %d, got %s", n, want, values[0])
			}
			n++
			return nil
		})
		if err != nil || n != 1+atOnce/8 {
			t.Errorf("want %d objects, got %d, %v", 1+atOnce/8, n, err)
		}
	}
}

// Where a text breaks off, the reader's reason is told; where it is wrong, the place.
func TestEachSays(t *testing.T) {
	list := `[{"a":"x"}` + strings.Repeat(" ", 2*atOnce) + `,{"a":?}]`
	gone := errors.New("gone")
	for want, in := range map[string]io.Reader{
		"gone": io.MultiReader(strings.NewReader(list[:30]), iotest.ErrReader(gone)),
		fmt.Sprintf("unexpected '?' in JSON at byte %d", strings.IndexByte(list, '?')): strings.NewReader(list),
		"unexpected end of JSON after 9 bytes":                                         strings.NewReader(list[:9]),
	} {
		if err := Each(in, []string{"a"}, func([][]byte, []bool) error { return nil }); err == nil || err.Error() != want {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

func TestEachRefuses(t *testing.T) {
	for _, list := range []string{"", "null", "{}", "[", "[{", `[{"a"`, `[{"a":`, `[{"a":1`, `[{"a":1}`, `[null]`, `[{"a":1},]`, `[{"a":1}]x`, `[{"a":"x]`,
		`[{"a":"\`, `[{"a":[1}]`, `[{"a":[[`, `[{a:1}]`, `[{"a":}]`, `[{"a" 1}]`, `[{"a":1 "b":2}]`, `[{"a":?}]`} {
		if err := Each(strings.NewReader(list), []string{"a"}, func([][]byte, []bool) error { return nil }); err == nil {
			t.Errorf("%q must be refused", list)
		}
	}
	stop := errors.New("stop")
	if err := Each(strings.NewReader(`[{},{}]`), nil, func([][]byte, []bool) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the receiver's error ends it, got %v", err)
	}
}

func TestText(t *testing.T) {
	for value, want := range map[string]string{`"x"`: "x", `""`: "", `"a\n"`: "refused", `7`: "refused", ``: "refused", `["x"]`: "refused"} {
		got := "refused"
		if text, ok := Text([]byte(value)); ok {
			got = string(text)
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
	f.Add(`[{"a":"x"},{"a":"x","b":""},{"b":"","a":"xy"},{},{ "a":"xy"},{"a":"y","a":"xy"},{"a":[]},{"a":[]},{"a":1},{"a":12}]`)
	f.Fuzz(func(t *testing.T, list string) {
		var rows []string
		err := Each(iotest.HalfReader(strings.NewReader(list)), []string{"a"}, func(values [][]byte, same []bool) error {
			if rows = append(rows, string(values[0])); same[0] && (len(rows) < 2 || rows[len(rows)-2] != string(values[0])) {
				t.Errorf("object %d is marked to be as the one before, of %q", len(rows), rows)
			}
			return nil
		})
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
