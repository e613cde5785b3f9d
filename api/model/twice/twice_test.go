// SPDX-License-Identifier: Apache-2.0

package twice

import "testing"

func TestSaid(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"once", `network not found (the key is "default:x"; netctl network ls --all lists them)`, ""},
		{"the remedy again", "no address is left (free some, or widen the pool) (free some, or widen the pool)", "free some, or widen the pool"},
		{"the remedy in other order", "the request may be repeated safely (safely repeat the request)", "safely repeat the request"},
		{"a command again", "netctl node ls shows the agents (netctl node ls)", "netctl node ls"},
		{"reported missing twice", `tenant not found (no tenant has the key "x")`, "no tenant"},
		{"not there, of several words", "External contracts group not found (tenant t has no external contracts group x)", "external contracts group"},
		{"two missing objects", "network not found (there is no tenant x)", ""},
		{"names come again", "container y on network n of tenant t-x would be endpoint n.t-x-y, which is container x-y on network n of tenant t", ""},
		{"a path again", "Page not found! (http://x/y is no page of a netmaster)", "no page"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Said(test.in); got != test.want {
				t.Errorf("want %q, got %q", test.want, got)
			}
		})
	}
}

func TestInFormat(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"verbs differ", "network %s of tenant %s would be %s, which is network %s of tenant %s", ""},
		{"the same words", "rule %s of direction out; rules of direction out name %s", "of direction out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := InFormat(test.in); got != test.want {
				t.Errorf("want %q, got %q", test.want, got)
			}
		})
	}
}
