// SPDX-License-Identifier: Apache-2.0

package vswitchd_test

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/vswitchd"
)

func readBonds(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestParseBonds(t *testing.T) {
	const partner = "32:d8:82:9d:9d:4d"
	for name, want := range map[string][]vswitchd.Bond{
		"negotiated": {{Name: "uplinkPort", Negotiated: true, Members: []vswitchd.Member{
			{Name: "eth1", Status: "current", Attached: true, Enabled: true, Partner: partner},
			{Name: "eth2", Status: "current", Attached: true, Enabled: true, Partner: partner}}}},
		"silent": {{Name: "uplinkPort", Negotiated: true, Members: []vswitchd.Member{
			{Name: "eth1", Status: "current", Attached: true, Enabled: true, Partner: partner},
			{Name: "eth2", Status: "expired", Attached: true, Partner: partner}}}},
		"fallback": {{Name: "uplinkPort", Members: []vswitchd.Member{
			{Name: "eth1", Status: "defaulted", Attached: true, Enabled: true},
			{Name: "eth2", Status: "defaulted", Attached: true, Enabled: true}}}},
	} {
		if got, err := vswitchd.ParseBonds(readBonds(t, name)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: want %+v, got %+v, %v", name, want, got, err)
		}
	}
	if _, err := vswitchd.ParseBonds("no such bond\n"); !errors.Is(err, vswitchd.ErrNoBond) {
		t.Errorf("a text of no bond: want ErrNoBond, got %v", err)
	}
}

func FuzzParseBonds(f *testing.F) {
	for _, name := range []string{"negotiated", "silent", "fallback"} {
		f.Add(readBonds(f, name))
	}
	f.Add("---- \n  status: \nmember: : \n may_enable: true\nslave:\npartner sys_id: x")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := vswitchd.ParseBonds(text)
		lines, members := strings.Count(text, "\n")+1, 0
		for _, b := range got {
			members += len(b.Members)
		}
		if (err == nil) != (len(got) > 0) || len(got)+members > lines {
			t.Errorf("%d lines: got %d bonds of %d members, %v", lines, len(got), members, err)
		}
	})
}
