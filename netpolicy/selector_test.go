// SPDX-License-Identifier: Apache-2.0

package netpolicy

import (
	"reflect"
	"testing"
)

func TestSelector(t *testing.T) {
	web := map[string]string{"app": "web", "tier": "front"}
	tests := []struct {
		name  string
		all   []Requirement
		text  string
		meets bool
	}{
		{"everything", nil, "", true},
		{"a value", []Requirement{{"app", In, []string{"web"}}}, "app=web", true},
		{"another value", []Requirement{{"app", In, []string{"db"}}}, "app=db", false},
		{"a value without the key", []Requirement{{"zone", In, []string{""}}}, "zone=", false},
		{"values in any order", []Requirement{{"app", In, []string{"web", "db", "web"}}}, "app in (db,web)", true},
		{"not a value", []Requirement{{"app", NotIn, []string{"web"}}}, "app notin (web)", false},
		{"not a value, without the key", []Requirement{{"zone", NotIn, []string{"web"}}}, "zone notin (web)", true},
		{"a key", []Requirement{{"app", Exists, nil}}, "app", true},
		{"no key", []Requirement{{"zone", DoesNotExist, nil}}, "!zone", true},
		{"an existing key", []Requirement{{"app", DoesNotExist, nil}}, "!app", false},
		{"both of two", []Requirement{{"tier", In, []string{"front"}}, {"app", In, []string{"web"}}, {"tier", In, []string{"front"}}}, "app=web,tier=front", true},
		{"one of two", []Requirement{{"tier", In, []string{"back"}}, {"app", In, []string{"web"}}}, "app=web,tier=back", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := NewSelector(test.all...)
			if s.String() != test.text || s.Selects(web) != test.meets {
				t.Errorf("want %q, which selects: %t; got %q, %t", test.text, test.meets, s, s.Selects(web))
			}
			if again := NewSelector(s...); !reflect.DeepEqual(again, s) {
				t.Errorf("selected again: want %v, got %v", s, again)
			}
		})
	}
}
