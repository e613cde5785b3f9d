package admit_test

import (
	"testing"

	"github.com/contiv/contiv/daemon/master/enginetest"
)

func TestTenants(t *testing.T) {
	try(t, enginetest.Options{}, []row{
		{"plain", nil, "tenant acme", ""},
		{"removed", []string{"tenant acme"}, "rm tenant acme", ""},
		{"removed, and there is none", nil, "rm tenant acme",
			`not-found: tenant not found (the key is "acme"; tenants: default; netctl tenant ls shows what there is)`},
		{"removed with a network", []string{"tenant acme", "network blue encap=vxlan subnet=10.1.1.0/24 tenantName=acme"}, "rm tenant acme",
			"in-use: cannot delete acme, has 1 networks (delete acme:blue first)"},
		{"removed with a policy", []string{"tenant acme", "policy p tenantName=acme"}, "rm tenant acme",
			"in-use: cannot delete acme, has 1 policies (delete acme:p first)"},
		{"removed with a profile", []string{"tenant acme", "netprofile p tenantName=acme"}, "rm tenant acme",
			"in-use: cannot delete acme, has 1 netprofiles (delete acme:p first)"},
		{"the first one, with nothing in it", nil, "rm tenant default", ""},
	})
}
