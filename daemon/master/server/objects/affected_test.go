// SPDX-License-Identifier: Apache-2.0

package objects_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// A dry run lists the endpoints and groups that each change would concern.
func TestApplyAffected(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), &model.Network{TenantName: "default", NetworkName: "n", Encap: "vlan", Subnet: "10.1.1.0/24"})
	mastertest.Put(t, m.Policys(), &model.Policy{TenantName: "default", PolicyName: "p"})
	mastertest.Put(t, m.EndpointGroups(), &model.EndpointGroup{TenantName: "default", NetworkName: "n", GroupName: "web", Policies: []string{"p"}})
	mastertest.Put(t, m.EndpointGroups(), &model.EndpointGroup{TenantName: "default", NetworkName: "n", GroupName: "db"})
	m.Endpoint(t, "default", "n", "web", "c1", "")
	m.Endpoint(t, "default", "n", "web", "c2", "")
	m.Endpoint(t, "default", "n", "db", "c3", "")
	web := &model.Affected{Groups: []string{"default:web"}, Endpoints: 2, Hosts: []string{"h1"}}
	rows := []struct {
		name   string
		kind   string
		fields map[string]any
		remove bool
		want   *model.Affected
	}{
		{"a rule of an attached policy", "rule", map[string]any{"tenantName": "default", "policyName": "p", "ruleId": "1", "direction": "in", "action": "deny"}, false, web},
		{"a policy", "policy", map[string]any{"tenantName": "default", "policyName": "q"}, false, nil},
		{"a group", "endpointGroup", map[string]any{"tenantName": "default", "networkName": "n", "groupName": "web"}, false, web},
		{"labels of a group", "endpointGroup", map[string]any{"tenantName": "default", "networkName": "n", "groupName": "db", "labels": map[string]string{"app": "shop"}}, false, nil},
		{"nothing new", "endpointGroup", map[string]any{"tenantName": "default", "networkName": "n", "groupName": "db"}, false, nil},
		{"everything", "global", map[string]any{"name": "global", "arpMode": "flood", "fwdMode": "bridge", "networkInfraType": "default",
			"vlans": "1-4094", "vxlans": "1-10000", "pvtSubnet": "172.19.0.0/16"}, false,
			&model.Affected{Groups: []string{"default:db", "default:web"}, Endpoints: 3, Hosts: []string{"h1"}}},
	}
	for _, r := range rows {
		got, _, err := m.Apply(ctx, model.ApplyRequest{DryRun: true, Delete: r.remove, Objects: []model.ApplyObject{{Kind: r.kind, Fields: r.fields}}})
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0].Affected, r.want) {
			t.Errorf("%s: want %+v, got %+v, %v", r.name, r.want, got, err)
		}
	}
}
