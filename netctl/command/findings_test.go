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
		if err := showHealth(&Factory{Streams: term.Streams{Out: &out}}, h, term.Format{Name: "table"}, false); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), well) != want || strings.Contains(out.String(), "ct_flush") != (severity != "") {
			t.Errorf("%q: got\n%s", severity, out.String())
		}
	}
}

// Causes are printed with the number of what follows from them, which --all prints too; an effect whose cause is not in the list is printed.
func TestShowCauses(t *testing.T) {
	cause := model.Finding{Code: model.FindingSwitchSilent, Severity: model.SeverityError, Host: "h1", Object: "host/h1", Evidence: "it is silent", Remedy: "start it", Next: "netctl node ls", Effects: 3}
	ref := cause.Ref()
	effect := func(code model.FindingCode, host string) model.Finding {
		return model.Finding{Code: code, Severity: model.SeverityError, Host: host, Object: "host/h1", Evidence: "nothing comes back", Remedy: "look", CausedBy: &ref}
	}
	list := []model.Finding{cause, effect(model.FindingTunnelBlocked, "h2"), effect(model.FindingTunnelBlocked, "h3"), effect(model.FindingWaysUnknown, "h1")}
	const head = "ERROR    switch-silent  host/h1  since \n         it is silent\n         do: start it\n         see: netctl node ls\n"
	blocked := func(host string) string {
		return "ERROR    tunnel-blocked  host/h1 on " + host + "  since \n         nothing comes back\n         do: look\n         because of: switch-silent host/h1\n"
	}
	for _, row := range []struct {
		name string
		list []model.Finding
		all  bool
		want string
	}{
		{"causes", list, false, head + "         and 3 more: 2 tunnel-blocked, ways-unknown (--all)\n"},
		{"all", list[:3], true, head + "         and 2 more: 2 tunnel-blocked\n" + blocked("h2") + blocked("h3")},
		{"without the cause", list[1:2], false, blocked("h2")},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out strings.Builder
			if err := showHealth(&Factory{Streams: term.Streams{Out: &out}}, &model.Health{Findings: row.list}, term.Format{Name: "table"}, row.all); err != nil {
				t.Fatal(err)
			}
			if out.String() != row.want {
				t.Errorf("want\n%s\ngot\n%s", row.want, out.String())
			}
		})
	}
}
