// SPDX-License-Identifier: Apache-2.0

package ovstest

import (
	"strings"
	"testing"
)

func TestBridgeStartsEmpty(t *testing.T) {
	o := Start(t)
	o.Bridge("br0")
	if got := o.Ofctl("dump-flows", "br0"); strings.Contains(got, "actions=") {
		t.Errorf("flows of a new bridge: want none, got %s", got)
	}
}

func TestSwitchRestart(t *testing.T) {
	o := Start(t)
	o.Bridge("br0")
	o.StopSwitch()
	o.StartSwitch()
	o.waitSocket(o.Mgmt("br0"))
	if got := strings.TrimSpace(o.Vsctl("list-br")); got != "br0" {
		t.Errorf("bridges after a restart: want br0, got %q", got)
	}
}
