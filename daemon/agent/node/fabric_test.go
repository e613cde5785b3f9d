// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"testing"

	"github.com/contiv/contiv/api/model"
)

// ACI-06, ACI-07: in an ACI fabric containers reach those of their group, on a VLAN of its own, and no one else, also
// after the agent began again; a container without a group is in default-group.
func TestGroupsApart(t *testing.T) {
	s := newSite(t)
	g, err := s.master.Globals().Get(s.ctx, "global")
	if err != nil {
		t.Fatal(err)
	}
	g.NetworkInfraType, g.ArpMode = "aci", "flood"
	if _, err := s.master.Globals().Put(s.ctx, g); err != nil {
		t.Fatal(err)
	}
	n := model.Network{TenantName: "default", NetworkName: "fab", Encap: "vlan", Subnet: "10.5.5.0/24", Gateway: "10.5.5.254"}
	if _, err := s.master.Networks().Put(s.ctx, &n); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"epga", "epgb", "default-group"} {
		s.group("default", "fab", name, "")
	}
	s.start()
	in := func(group string) string {
		if group == "" {
			return `,"network":"fab"`
		}
		return `,"network":"fab","group":"` + group + `"`
	}
	a1, _ := s.add("a1", "1.0.0", in("epga"))
	a2, _ := s.add("a2", "1.0.0", in("epga"))
	b1, _ := s.add("b1", "1.0.0", in("epgb"))
	d1, _ := s.add("d1", "1.0.0", in(""))
	d2, _ := s.add("d2", "1.0.0", in("default-group"))
	apart := func(from *pod, to string) {
		t.Helper()
		if out, err := from.ns.Exec("ping", "-c1", "-W1", to); err == nil {
			t.Errorf("%s must not reach %s:\n%s", from.id, to, out)
		}
	}
	check := func() {
		t.Helper()
		s.ping(a1, a2.ip4)
		s.ping(d1, d2.ip4)
		apart(a1, b1.ip4)
		apart(d1, a1.ip4)
		apart(b1, d1.ip4)
	}
	check()
	s.stop()
	s.start()
	check()
}
