// SPDX-License-Identifier: Apache-2.0

package channel

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/skew"
)

func TestAgree(t *testing.T) {
	newest := skew.Protocol.Newest
	for _, row := range []struct {
		agent   skew.Range
		version int
		why     string
	}{
		{skew.Range{}, 1, ""},
		{skew.Protocol, newest, ""},
		{skew.Range{Oldest: newest, Newest: newest + 1}, newest, ""},
		{skew.Range{Oldest: newest + 1, Newest: newest + 2}, 0, "upgrade this netmaster"},
	} {
		got, err := Agree(&Hello{Host: "h1", Protocol: row.agent})
		if got != row.version || (err == nil) != (row.why == "") || err != nil && !strings.Contains(err.Error(), row.why) {
			t.Errorf("agent that speaks %s: got version %d, %v", row.agent, got, err)
		}
	}
	for header, want := range map[string]string{"": "", "1": "", "x": "want a version", "99": "upgrade the netmasters first"} {
		if err := agreed(header); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("answer %q: got %v, want %q", header, err, want)
		}
	}
}
