// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

func TestSegments(t *testing.T) {
	network := func(tenant, name string) record.Network {
		return record.Network{ID: identity.Network{Tenant: tenant, Name: name}, Encap: record.VLAN, PktTag: 5, Subnet: netip.MustParsePrefix("10.1.1.0/24")}
	}
	group := record.Group{ID: identity.Group{Tenant: "a", Name: "g"}, Network: identity.Network{Tenant: "a", Name: "n"}, Number: 1}
	w := start(t, network("b", "n"), network("a", "n"), group)
	s := w.e.Segments()
	if len(s.Networks) != 2 || s.Networks[0].ID.Tenant != "a" || len(s.Groups) != 1 || s.Groups[0].ID != group.ID || s.ACI {
		t.Errorf("got %+v", s)
	}
	changed := w.e.Changed()
	w.put(record.Global{ID: "global", InfraType: "aci"})
	for !w.e.Segments().ACI {
		<-changed
		changed = w.e.Changed()
	}
}
