// SPDX-License-Identifier: Apache-2.0

package page

import (
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
)

// The event of a finding has the colour of its severity, as the finding has on other pages.
func TestEventRow_Severity(t *testing.T) {
	for severity, want := range map[model.Severity]theme.Role{model.SeverityError: theme.Bad, model.SeverityWarning: theme.Warn, model.SeverityUnknown: theme.Held} {
		e := feed.Event{Type: "found", Kind: feed.FindingKind, Key: "host/h1", Severity: severity}
		if got := eventRow(Canvas{}, &e).Role; got != want {
			t.Errorf("%s: want role %v, got %v", severity, want, got)
		}
	}
}
