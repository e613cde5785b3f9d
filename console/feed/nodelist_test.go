// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// A list decodes to the same value with and without lists before it; the same bytes are the same slice.
func TestNodeList(t *testing.T) {
	var l nodeList
	lists := []string{`[]`, `[{"name":"h1","role":"agent"},{"name":"h2","role":"agent","ready":true}]`, `[{"name":"h1","role":"agent"},{"name":"h2","role":"agent"}]`,
		`[{"name":"h2","role":"agent"}]`, `null`, `[{"name":"h2","role":"agent"},{"name":"h3"}]`}
	for _, text := range lists {
		var want []model.Node
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		got, err := l.decode(text)
		if err != nil || len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: want %+v, got %+v, %v", text, want, got, err)
		}
		again, err := l.decode(text)
		if err != nil || len(got) > 0 && &again[0] != &got[0] {
			t.Errorf("%s again: want the same slice, got another, %v", text, err)
		}
	}
	for _, text := range []string{`{`, `{}`, `[1]`, `[{"name":1}]`} {
		if _, err := l.decode(text); err == nil {
			t.Errorf("%s: want an error", text)
		}
	}
}

func FuzzNodeList(f *testing.F) {
	for _, s := range [][2]string{{`[]`, `[{"name":"a"}]`}, {`[{"name":"a"},{"name":"b"}]`, `[{"name":"a"},{"name":"c","lag":3}]`}, {`null`, `[null]`}, {`[{}]`, `[`}} {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var l nodeList
		for _, raw := range [][]byte{first, second} {
			var want []model.Node
			fails := json.Unmarshal(raw, &want) != nil
			got, err := l.decode(string(raw))
			if (err != nil) != fails {
				t.Fatalf("%q: want an error %v, got %v", raw, fails, err)
			}
			if err == nil && len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: want %+v, got %+v", raw, want, got)
			}
		}
	})
}

func TestIntern(t *testing.T) {
	var w interned
	a, b, empty := string([]byte("host")), string([]byte("host")), ""
	w.intern(&a, &empty)
	w.intern(&b)
	if a != "host" || b != "host" || empty != "" || len(w) != 1 {
		t.Errorf("want host twice and one word kept, got %q, %q, %q, %v", a, b, empty, w)
	}
}
