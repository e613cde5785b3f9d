// SPDX-License-Identifier: Apache-2.0

package hostcheck_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/hostcheck"
	"github.com/contiv/contiv/daemon/channel"
)

// Each netmaster with another store is a finding with both incarnations, and none is none.
func TestStores(t *testing.T) {
	var others []channel.Another
	c := (&hostcheck.Stores{Host: "h1", Others: func() []channel.Another { return others }}).Check()
	if got := c.Look(t.Context()); len(got) != 0 {
		t.Errorf("want nothing, got %v", got)
	}
	others = []channel.Another{{Master: "https://192.0.2.1:9999", Known: "aaa", Incarnation: "bbb"}, {Master: "https://192.0.2.2:9999", Known: "aaa", Incarnation: "ccc"}}
	got := c.Look(t.Context())
	if len(got) != 2 || got[0].Code != model.FindingStoreIsAnother || got[0].Severity != model.SeverityError || got[0].Object != "host/h1" ||
		!strings.Contains(got[0].Evidence, "192.0.2.1:9999 has another store") || !strings.Contains(got[1].Evidence, "incarnation ccc, and the host knows aaa") || !strings.Contains(got[0].Remedy, "mount its directory") {
		t.Errorf("want one of each netmaster, got %+v", got)
	}
}
