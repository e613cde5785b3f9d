// SPDX-License-Identifier: Apache-2.0

package admit_test

import (
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/store/memory"
)

func TestTenants(t *testing.T) {
	try(t, enginetest.Options{}, []row{
		{"plain", nil, "tenant acme", ""},
		{"removed", []string{"tenant acme"}, "rm tenant acme", ""},
		{"removed, and there is none", nil, "rm tenant acme",
			`not-found: tenant not found (the key is "acme"; tenants: default; netctl tenant ls lists them)`},
		{"removed with a network", []string{"tenant acme", "network blue encap=vxlan subnet=10.1.1.0/24 tenantName=acme"}, "rm tenant acme",
			"in-use: cannot delete acme, has 1 networks (delete acme:blue first, or all that the tenant has, and itself: netctl tenant rm acme --cascade)"},
		{"removed with a policy", []string{"tenant acme", "policy p tenantName=acme"}, "rm tenant acme",
			"in-use: cannot delete acme, has 1 policies (delete acme:p first, or all that the tenant has, and itself: netctl tenant rm acme --cascade)"},
		{"removed with a profile", []string{"tenant acme", "netprofile p tenantName=acme"}, "rm tenant acme",
			"in-use: cannot delete acme, has 1 netprofiles (delete acme:p first, or all that the tenant has, and itself: netctl tenant rm acme --cascade)"},
		{"the first one, with nothing in it", nil, "rm tenant default", ""},
	})
}

// What a cluster begins with is made once: a later leader brings back no tenant that was deleted.
func TestDefaultTenantStaysDeleted(t *testing.T) {
	db := memory.New()
	first := enginetest.Start(t, enginetest.Options{Store: db})
	first.Must(t, "rm tenant default")
	first.Stop()
	second := enginetest.Start(t, enginetest.Options{Store: db})
	second.Catalog.View(func(v *catalog.View) {
		if v.Has(model.KindTenant().Name, "default") || !v.Has(model.KindGlobal().Name, "global") {
			t.Errorf("want no tenant and the settings, got tenants %v", v.Keys(model.KindTenant()))
		}
	})
}
