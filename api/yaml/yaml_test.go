// SPDX-License-Identifier: Apache-2.0

package yaml

import (
	"encoding/json"
	"reflect"
	"testing"
)

type network struct {
	Name string   `json:"networkName"`
	Tag  int      `json:"pktTag,omitempty"`
	DNS  []string `json:"dnsServers,omitempty"`
}

func TestMarshal(t *testing.T) {
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"JSON's names, in alphabetical order", network{"blue", 7, []string{"a", "b"}}, "dnsServers:\n- a\n- b\nnetworkName: blue\npktTag: 7\n"},
		{"text that YAML would read as something else", network{Name: "yes"}, "networkName: \"yes\"\n"},
		{"digits", network{Name: "7"}, "networkName: \"7\"\n"},
		{"a large integer", map[string]any{"bytes": uint64(1<<63 + 1)}, "bytes: 9223372036854775809\n"},
		{"lines", network{Name: "a\nb\n"}, "networkName: |\n  a\n  b\n"},
		{"a list of objects", []network{{Name: "a"}, {Name: "b"}}, "- networkName: a\n- networkName: b\n"},
		{"nothing", nil, "null\n"},
	}
	for _, tt := range tests {
		got, err := Marshal(tt.in)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: want %q, got %q, %v", tt.name, tt.want, got, err)
		}
	}
}

func TestUnmarshalStrict(t *testing.T) {
	tests := []struct {
		name, in string
		want     network
		ok       bool
	}{
		{"a block", "# of blue\nnetworkName: blue\npktTag: 7\ndnsServers: [a]\n", network{"blue", 7, []string{"a"}}, true},
		{"JSON", `{"networkName": "blue"}`, network{Name: "blue"}, true},
		{"yes is text", "networkName: yes\n", network{Name: "yes"}, true},
		{"empty", "", network{}, true},
		{"an unknown field", "networkName: blue\ncolour: red\n", network{Name: "blue"}, false},
		{"a field twice", "pktTag: 1\npktTag: 2\n", network{}, false},
		{"the wrong type", "pktTag: seven\n", network{}, false},
		{"a key that is not a string", "1: a\n", network{}, false},
		{"no YAML", "networkName: [\n", network{}, false},
	}
	for _, tt := range tests {
		var got network
		err := UnmarshalStrict([]byte(tt.in), &got)
		if tt.ok != (err == nil) || tt.ok && (got.Name != tt.want.Name || got.Tag != tt.want.Tag || len(got.DNS) != len(tt.want.DNS)) {
			t.Errorf("%s: want %+v and success %v, got %+v, %v", tt.name, tt.want, tt.ok, got, err)
		}
	}
}

// All values of JSON survive the conversion to YAML and back.
func FuzzYAMLToJSON(f *testing.F) {
	for _, seed := range []string{"a: [1, 2.5, yes, null]\nb: {c: 2030-01-02}\n", "- |\n  x\n", "&a [*a]", "? [1]\n: 2\n", "!!binary aGk=", "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		first, err := YAMLToJSON(text)
		if err != nil {
			return
		}
		var want, got any
		if err := json.Unmarshal(first, &want); err != nil {
			t.Fatalf("want JSON, got %q: %v", first, err)
		}
		again, err := JSONToYAML(first)
		if err != nil {
			t.Fatalf("%q: %v", first, err)
		}
		second, err := YAMLToJSON(again)
		if err != nil {
			t.Fatalf("%q: %v", again, err)
		}
		if err := json.Unmarshal(second, &got); err != nil || !reflect.DeepEqual(want, got) {
			t.Errorf("want %s, got %s, %v", first, second, err)
		}
	})
}
