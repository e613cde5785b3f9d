// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// A note is printed, and it is no problem; a warning is one.
func TestShowHealth(t *testing.T) {
	const well = "no problems found: 1 netmasters, 2 hosts, 3 endpoints\n"
	for severity, want := range map[model.Severity]bool{"": true, model.SeverityInfo: true, model.SeverityWarning: false} {
		h := &model.Health{Masters: 1, Hosts: 2, Endpoints: 3}
		if severity != "" {
			h.Findings = []model.Finding{{Code: model.FindingSwitchLacks, Severity: severity, Object: "host/h1", Evidence: "it lacks ct_flush"}}
		}
		var out strings.Builder
		if err := showHealth(&Factory{Streams: term.Streams{Out: &out}}, h, term.Format{Name: "table"}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), well) != want || strings.Contains(out.String(), "ct_flush") != (severity != "") {
			t.Errorf("%q: got\n%s", severity, out.String())
		}
	}
}
