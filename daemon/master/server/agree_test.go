// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

// A list of nodes has one leader, though two netmasters say to be it: that of the newest term.
func TestNodesAgree(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	leads := func(term uint64) (at string) {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if err := json.NewEncoder(w).Encode(model.Node{Role: model.RoleLeader, Ready: true, Since: "2030-01-02T03:04:05Z", Leader: at, Term: term}); err != nil {
				t.Error(err)
			}
		}))
		t.Cleanup(other.Close)
		at = other.Listener.Addr().String()
		where := netip.MustParseAddrPort(at)
		m.Kubernetes(t, &record.Service{ServiceName: record.ServiceMaster, HostAddr: where.Addr().String(), Port: int(where.Port()), Role: "follower"})
		return at
	}
	former, now := leads(7), leads(9)
	var nodes []model.Node
	if err := m.Raw(t.Context(), "/api/v1/nodes", &nodes); err != nil {
		t.Fatal(err)
	}
	roles := map[string]model.NodeRole{}
	for _, n := range nodes {
		roles[n.Address] = n.Role
	}
	if roles[now] != model.RoleLeader || roles[former] != model.RoleFollower {
		t.Errorf("want %s to lead and %s to follow, got %v", now, former, roles)
	}
}
