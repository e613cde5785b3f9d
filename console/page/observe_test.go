// SPDX-License-Identifier: Apache-2.0

package page

import (
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/theme"
)

func TestObservedRole(t *testing.T) {
	for v, want := range map[model.ObservedVerdict]theme.Role{model.ObservedOpened: theme.Plain, model.ObservedClosed: theme.Plain,
		model.ObservedRefused: theme.Bad, model.ObservedDropped: theme.Warn, model.ObservedUnknown: theme.Dim} {
		if got := observedRole(v); got != want {
			t.Errorf("%s: want role %v, got %v", v, want, got)
		}
	}
}
