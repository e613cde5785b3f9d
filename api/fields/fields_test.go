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

// What is as in the object before is marked, once it is known what objects have in common, and may still be used.
func TestEachMarksTheSame(t *testing.T) {
	object := func(a, b string) string { return `{"a": "` + a + `", "n":7,"b":{"x":"}` + b + `"}}` }
	rows := []struct{ object, want string }{
		{object("1", "u"), ".."}, {object("2", "u"), ".."}, {object("3", "u"), ".."}, {object("4", "u"), ".="}, {object("4", "u"), ".="}, // a varies
		{object("5", "v"), ".."}, {object("6", "v"), ".."}, {object("7", "u"), ".."}, // b does, too
		{`{"n":7}`, ".."}, {`{"n":7}`, ".."}, {`{"n":7}`, "=="}, {`{"n":77}`, ".."}, {`{"n":8}`, ".."}, {`{"n":9}`, "=="},
		{`{"a":"1","a":"2"}`, ".."}, {`{"a":"1","a":"2"}`, ".."}, {`{"a":"1","a":"2"}`, ".."}, // twice: there is no pattern
		{`{"a":"` + strings.Repeat("x", longest) + `"}`, ".."}, {`{}`, ".."}, {`{}`, ".."}, {`{}`, "=="},
	}
	var list, marks, want []string
	for _, r := range rows {
		list, want = append(list, r.object), append(want, r.want)
	}
	for name, in := range map[string]io.Reader{"at once": strings.NewReader("[" + strings.Join(list, ",") + "]"),
		"byte by byte": iotest.OneByteReader(strings.NewReader("[" + strings.Join(list, ",") + "]"))} {
		var kept [2][]byte
		marks = nil
		err := Each(in, []string{"a", "b"}, func(values [][]byte, same []bool) error {
			row := ""
			for i, v := range values {
				if same[i] && string(kept[i]) != string(v) {
					t.Errorf("%s, object %d: want %s as before, got %s", name, len(marks), kept[i], v)
				}
				if !same[i] {
					kept[i] = v
				}
				row += map[bool]string{true: "=", false: "."}[same[i]]
			}
			marks = append(marks, row)
			return nil
		})
		if err != nil || !slices.Equal(marks, want) {
			t.Errorf("%s: want %q, got %q, %v", name, want, marks, err)
		}
	}
}

// A list whose objects have nothing in common is read all the same.
func TestEachOfObjectsOfManyShapes(t *testing.T) {
	var list []string
	for i := range 3 * mostLessons {
		list = append(list, fmt.Sprintf(`{"x%d":%d,"a":"%d"}`, i%7, i, i))
	}
	n := 0
	err := Each(strings.NewReader("["+strings.Join(list, ",")+"]"), []string{"a"}, func(values [][]byte, same []bool) error {
		if want := fmt.Sprintf("%q", fmt.Sprint(n)); string(values[0]) != want || same[0] {
			t.Errorf("want %s, got %s, marked %t", want, values[0], same[0])
		}
		n++
		return nil
	})
	if err != nil || n != len(list) {
		t.Errorf("want %d objects, got %d, %v", len(list), n, err)
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

func TestDigits(t *testing.T) {
	for value, want := range map[string]bool{"0": true, "7": true, "4095": true, "999999999999999999": true, "9999999999999999999": false, "-1": false, "1e3": false,
		"1.5": false, "01": false, "": false, "null": false, `"7"`: false} {
		if got, ok := Digits([]byte(value)); ok != want || ok && string(got) != value {
			t.Errorf("%q: want %t, got %q", value, want, got)
		}
	}
}

// What encoding/json takes for a list of objects is read as encoding/json reads it.
func FuzzEach(f *testing.F) {
	f.Add(`[{"a":"x","b":[1,{"a":"]"}]},{"b":"\"","a":null}]`)
	f.Add(`[{"a":1},`)
	f.Add(`[[{"a":"`)
	f.Add(`[{"a":"x","b":1},{"a":"y","b":1},{"a":"z","b":1},{"a":"z\\"","b":1},{"a":"z","b":12},{"a":[],"b":1},{"a":"z","b":1 }]`)
	f.Add(`[{"b":"x","a":1},{"b":"y","a":1},{"b":"z","a":1},{"b":"u","a":1},{"b":"u","a":12},{"a":1,"a":2},{"a":1,"a":2},{},{},{}]`)
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
