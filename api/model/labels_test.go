// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestLabelText(t *testing.T) {
	for text, want := range map[string]string{
		"map[]": "", "map[app:db]": "app=db", "map[app:db tier:back]": "app=db,tier=back", "map[a:x y z b:]": "a=x y z,b=", "map[url:http://h:1]": "url=http://h:1", "": "", "app=db": "app=db", "map[": "map[",
		"map[word]": "word",
	} {
		if got := LabelText(text); got != want {
			t.Errorf("%q: want %q, got %q", text, want, got)
		}
	}
}

func FuzzLabelText(f *testing.F) {
	f.Add("map[app:db tier:back]", "app", "db")
	f.Fuzz(func(t *testing.T, text, key, value string) {
		_ = LabelText(text)
		if key == "" || strings.ContainsAny(key+value, " :") {
			return
		}
		if got := LabelText(fmt.Sprint(map[string]string{key: value})); got != key+"="+value {
			t.Errorf("%q: %q: got %q", key, value, got)
		}
	})
}

func TestCheckLabels(t *testing.T) {
	many := map[string]string{}
	for i := range maxLabels + 1 {
		many[fmt.Sprint("k", i)] = "v"
	}
	long := map[string]string{}
	for i := range 16 {
		long[fmt.Sprintf("%s/k%d", strings.Repeat("p", maxPrefix), i)] = "v"
	}
	for _, row := range []struct {
		name   string
		labels map[string]string
		want   string // part of the refusal; "": none
	}{
		{"none", nil, ""},
		{"plain", map[string]string{"app": "shop", "tier": ""}, ""},
		{"with a prefix", map[string]string{"example.com/team_a": "a.B-1"}, ""},
		{"an empty key", map[string]string{"": "a"}, `invalid labels: labels: got key "", want NAME or PREFIX/NAME (NAME has 1 to 63 letters, digits, - _ and ., the first and last a letter or digit; PREFIX is a DNS name in lower case)`},
		{"a key with a space", map[string]string{"my app": "a"}, `got key "my app"`},
		{"a prefix in upper case", map[string]string{"Example.com/a": "a"}, `got key "Example.com/a"`},
		{"a value with a space", map[string]string{"app": "web shop"}, `invalid labels: labels: got value "web shop" of app, want at most 63 letters, digits, - _ and . (begin and end it with a letter or digit, or leave it empty)`},
		{"a long value", map[string]string{"app": strings.Repeat("x", 64)}, "of app, want at most 63"},
		{"too many", many, "labels: got 33, want at most 32 (remove some of them)"},
		{"too long together", long, "labels: got 4118 bytes of keys and values, want at most 2048"},
	} {
		got := ""
		if err := CheckLabels(row.labels); err != nil {
			got = string(err.Code) + " " + err.Field + ": " + err.Error()
		}
		if (got == "") != (row.want == "") || !strings.Contains(got, row.want) {
			t.Errorf("%s: want %s, got %s", row.name, row.want, got)
		}
	}
}

// Absent labels keep those of the stored object, and empty ones remove them: both forms survive JSON.
func TestLabelsInJSON(t *testing.T) {
	for want, labels := range map[string]map[string]string{
		`{"tenantName":"a","link-sets":{}}`:                      nil,
		`{"labels":{},"tenantName":"a","link-sets":{}}`:          {},
		`{"labels":{"app":"b"},"tenantName":"a","link-sets":{}}`: {"app": "b"},
	} {
		got, err := json.Marshal(&Tenant{TenantName: "a", Labels: labels})
		var back Tenant
		if err == nil {
			err = json.Unmarshal(got, &back)
		}
		if err != nil || string(got) != want || (back.Labels == nil) != (labels == nil) {
			t.Errorf("%v: want %s, got %s and %v back, %v", labels, want, got, back.Labels, err)
		}
	}
}

func TestDifferencesOfLabels(t *testing.T) {
	old := &Tenant{TenantName: "a", Labels: map[string]string{"app": "b"}}
	now := old.Clone()
	if got := Differences(old, now); len(got) > 0 {
		t.Errorf("a copy: got %v", got)
	}
	now.(*Tenant).Labels["app"] = "c"
	if got := Differences(old, now); len(got) != 1 || got[0].Field != LabelsField {
		t.Errorf("a copy with another value: got %v", got)
	}
	SetLabels(old, nil)
	SetLabels(now, map[string]string{})
	if got := Differences(old, now); len(got) > 0 {
		t.Errorf("none and none: got %v", got)
	}
}

// Every kind that users change has labels, and the others cannot be given any.
func TestKindsWithLabels(t *testing.T) {
	for _, k := range Kinds() {
		f, _ := k.Field(LabelsField)
		if (f.Type == Labels) != k.Writable() {
			t.Errorf("%s: field %+v, want labels in kinds that users change only", k.Name, f)
		}
		if k.New == nil {
			continue
		}
		o := k.New()
		if SetLabels(o, map[string]string{"b": "2", "a": "1"}) != k.Writable() || k.Writable() && JoinLabels(LabelsOf(o)) != "a=1,b=2" {
			t.Errorf("%s: got labels %v", k.Name, LabelsOf(o))
		}
	}
}
