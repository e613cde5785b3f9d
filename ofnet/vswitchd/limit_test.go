// SPDX-License-Identifier: Apache-2.0

package vswitchd

import (
	"slices"
	"testing"
)

func TestParseZoneLimits(t *testing.T) {
	for _, row := range []struct {
		text string
		want []ZoneLimit
		ok   bool
	}{
		{"default limit=0\n", nil, true},
		{"default limit=0\nzone=1,limit=10,count=3\nzone=32769,limit=7,count=0\n", []ZoneLimit{{1, 10, 3}, {32769, 7, 0}}, true},
		{"zone=70000,limit=1,count=0", nil, false}, {"zone=1,limit=x", nil, false}, {"zone=1,depth=3", nil, false}, {"rubbish", nil, false},
	} {
		got, err := ParseZoneLimits(row.text)
		if !slices.Equal(got, row.want) || (err == nil) != row.ok {
			t.Errorf("%q: want %v, got %v, %v", row.text, row.want, got, err)
		}
	}
}

func TestRefusedConnections(t *testing.T) {
	const head = "entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop icmp_error  expect_new expect_create expect_delete search_restart\n"
	const line = "00000003  00000000 00000000 00000000 00000000 00000000 00000000 00000001 00000000 00000000 0000000a 00000000 00000000  00000000 00000000 00000000 00000000\n"
	if n, err := RefusedConnections(head + line + line); n != 20 || err != nil {
		t.Errorf("want 20, got %d, %v", n, err)
	}
	for _, text := range []string{"entries found\n00 00\n", head + "00\n", head + "z z z z z z z z z z z z\n"} {
		if _, err := RefusedConnections(text); err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
}

func FuzzParseZoneLimits(f *testing.F) {
	f.Add("default limit=0\nzone=1,limit=10,count=3\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseZoneLimits(text)
		if err != nil && list != nil {
			t.Errorf("%q: want nothing beside an error, got %v", text, list)
		}
		_, _ = RefusedConnections(text)
	})
}
