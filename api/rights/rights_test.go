// SPDX-License-Identifier: Apache-2.0

package rights_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
)

// The permissions of each role: for an object of a tenant, a tenant, the cluster, and other actions.
func TestRoles(t *testing.T) {
	network := func(v rights.Verb, tenant string) rights.Right {
		return rights.Of(v, model.KindNetwork(), tenant+":net")
	}
	asked := []struct {
		name  string
		right rights.Right
	}{
		{"see a network of blue", network(rights.Read, "blue")}, {"change one", network(rights.Change, "blue")}, {"see one of red", network(rights.Read, "red")}, {"change one of red", network(rights.Change, "red")},
		{"see the tenant", rights.Of(rights.Read, model.KindTenant(), "blue")}, {"delete it", rights.Of(rights.Change, model.KindTenant(), "blue")},
		{"see an endpoint", rights.Of(rights.Read, model.KindEndpoint(), "blue:net:c1")}, {"see what is the cluster's", rights.Of(rights.Read, model.KindGlobal(), "global")}, {"change it", rights.Of(rights.Change, model.KindGlobal(), "global")},
		{"see a user", rights.Of(rights.Read, model.KindUser(), "ann")}, {"change one", rights.Of(rights.Change, model.KindAuthorization(), "ann")},
		{"capture in blue", rights.Right{Verb: rights.Capture, Tenant: "blue"}}, {"capture", rights.Right{Verb: rights.Capture}}, {"repair", rights.Right{Verb: rights.Repair}},
		{"hand over", rights.Right{Verb: rights.HandOver}}, {"relay", rights.Right{Verb: rights.Relay}}, {"bundle", rights.Right{Verb: rights.Bundle}},
	}
	for _, row := range []struct {
		grant rights.Grant
		want  string // for each request, y or n
	}{
		{rights.Grant{Role: rights.Admin}, "yyyyyyyyyyyyyyyyy"},
		{rights.Grant{Role: rights.Operator}, "yyyyyyyyynnyyyyyy"},
		{rights.Grant{Role: rights.Viewer}, "ynynynyynnnnnnnnn"},
		{rights.Grant{Role: rights.TenantAdmin, Tenant: "blue"}, "yynnynynnnnnnnnnn"},
		{rights.Grant{Role: rights.TenantViewer, Tenant: "blue"}, "ynnnynynnnnnnnnnn"},
		{rights.Grant{Role: "capture", Tenant: "blue"}, "nnnnnnnnnnnynnnnn"},
		{rights.Grant{Role: "capture"}, "nnnnnnnnnnnyynnnn"},
		{rights.Grant{Role: "repair"}, "nnnnnnnnnnnnnynnn"},
		{rights.Grant{Role: "hand-over"}, "nnnnnnnnnnnnnnynn"},
		{rights.Grant{Role: "relay"}, "nnnnnnnnnnnnnnnyn"},
		{rights.Grant{Role: "bundle"}, "nnnnnnnnnnnnnnnny"},
		{rights.Grant{Role: "manage"}, "nnnnnnnnnnnnnnnnn"},
		{rights.Grant{Role: rights.TenantAdmin}, "nnnnnnnnnnnnnnnnn"},
		{rights.Grant{Role: rights.Admin, Tenant: "blue"}, "nnnnnnnnnnnnnnnnn"},
		{rights.Grant{}, "nnnnnnnnnnnnnnnnn"},
	} {
		for i, q := range asked {
			if got := (rights.Grants{row.grant}).Permit(q.right); got != (row.want[i] == 'y') {
				t.Errorf("%s: may %s: got %t", row.grant, q.name, got)
			}
		}
	}
}

// Viewers see every kind except those of users, and a tenant's admin changes only kinds whose keys name the tenant.
func TestKinds(t *testing.T) {
	tenants := rights.Grants{{Role: rights.TenantAdmin, Tenant: "blue"}}
	for _, k := range model.Kinds() {
		if got := (rights.Grants{{Role: rights.Viewer}}).Permit(rights.Of(rights.Read, k, "blue:x:y")); got == k.Guarded {
			t.Errorf("%s: a viewer sees it: %t", k.Name, got)
		}
		if tenants.Permit(rights.Of(rights.Change, k, "red:x:y")) || tenants.Permit(rights.Of(rights.Change, k, "blue")) != k.TenantScoped() && k != model.KindEndpoint() {
			t.Errorf("%s: a tenant's admin may change what is not of the tenant", k.Name)
		}
	}
}

func TestRefusal(t *testing.T) {
	e := rights.Refusal(rights.Of(rights.Change, model.KindPolicy(), "blue:p"))
	for _, part := range []string{"change policies of tenant blue", "admin", "operator", "tenant-admin of blue", "netctl authorization create"} {
		if !strings.Contains(e.Error(), part) {
			t.Errorf("%q does not contain %q", e.Error(), part)
		}
	}
	if e.Code != model.CodeDenied || strings.Contains(e.Error(), "viewer") {
		t.Errorf("got %v", e)
	}
}

// Every request is a right or a refusal, and an object without a tenant belongs to the cluster.
func FuzzParse(f *testing.F) {
	f.Add("create", "network", "blue:n", "")
	f.Add("capture", "", "", "blue")
	f.Add("read", "tenant", "", "blue")
	f.Add("change", "user", "ann", "blue")
	f.Fuzz(func(t *testing.T, verb, kind, key, tenant string) {
		r, err := rights.Parse(verb, kind, key, tenant)
		if err != nil {
			return
		}
		if r.Kind != nil && r.Kind.Guarded && r.Verb != rights.Manage {
			t.Errorf("%s %s: %v does not manage", verb, kind, r)
		}
		if !(rights.Grants{{Role: rights.Admin}}).Permit(r) {
			t.Errorf("an admin may not %v", r)
		}
	})
}
