// SPDX-License-Identifier: Apache-2.0

package admit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
)

func TestProfilesAndRouters(t *testing.T) {
	router := "bgp h1 routerip=10.9.0.1/24 as=65001 neighbor=10.9.0.2 neighbor-as=65000"
	try(t, enginetest.Options{FwdMode: "routing"}, []row{
		{"a net profile", nil, "netprofile p bandwidth=10mbps DSCP=10 burst=100", ""},
		{"a net profile without a tenant", nil, "netprofile p tenantName=acme",
			`not-found tenantName: Tenant not found (create it with netctl tenant create acme; tenants: default; netctl tenant ls lists them)`},
		{"a net profile in use", []string{blue, "netprofile p", "group web networkName=blue netProfile=p"}, "rm netprofile p",
			"in-use: NetProfile is being used (take it from the groups default:web first)"},
		{"an app profile", []string{blue, "group web networkName=blue"}, "appProfile shop endpointGroups=web", ""},
		{"an app profile without its group", nil, "appProfile shop endpointGroups=web",
			"not-found endpointGroups: could not find group:web (create it with netctl group create --tenant default NETWORK web)"},
		{"a group of two app profiles", []string{blue, "group web networkName=blue", "appProfile shop endpointGroups=web"}, "appProfile bank endpointGroups=web", ""},
		{"contracts", nil, "extContractsGroup c contractsType=provided contracts=uni/tn-common/brc-web", ""},
		{"contracts in use", []string{blue, "extContractsGroup c contractsType=provided contracts=uni/tn-common/brc-web", "group web networkName=blue extContractsGrps=c"}, "rm extContractsGroup c",
			"in-use: Cannot delete external contracts group c: it is being used (take it from the groups default:web first)"},
		{"a router", nil, router, ""},
		{"a router in a fabric", []string{"global global networkInfraType=aci"}, router,
			"unsupported: BGP is not supported in fabric mode aci (the fabric routes; see netctl global set --fabric-mode)"},
		{"a router with passwords", nil, router + " password=s3cret", ""},
		{"a router with too many passwords", nil, router + " password=a,b",
			"invalid password: password (want one for all neighbours, or one for each of the 1, separated by commas)"},
		{"a router without a length", nil, "bgp h1 routerip=10.9.0.1 as=65001 neighbor=10.9.0.2 neighbor-as=65000",
			"invalid routerip: routerip string invalid format (routerip takes an IPv4 address with its length, such as 50.1.1.2/24)"},
	})
}

// The password of a router is in the record that its host's agent receives, and in no object. It stays until it is replaced, or the router
// is deleted.
func TestPasswordOfRouter(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{FwdMode: "routing"})
	const router = "bgp h1 routerip=10.9.0.1/24 as=65001 neighbor=10.9.0.2 neighbor-as=65000"
	for _, step := range []struct{ line, want string }{
		{router + " password=s3cret", "s3cret"}, {router + " ttl-security=1", "s3cret"}, {router + " password=another", "another"}, {"rm bgp h1", ""}, {router, ""},
	} {
		w.Must(t, step.line)
		w.Catalog.View(func(v *catalog.View) {
			var told record.BGP
			if text := v.Value(record.BGPs + "h1"); text != nil {
				if err := json.Unmarshal(text, &told); err != nil {
					t.Fatal(err)
				}
			}
			if told.Password != step.want {
				t.Errorf("%s: want the agent to receive %q, got %q", step.line, step.want, told.Password)
			}
			for key, value := range v.Values() {
				if key != record.BGPs+"h1" && strings.Contains(string(value), "s3cret") {
					t.Errorf("%s: want the password nowhere else, got %s at %s", step.line, value, key)
				}
			}
		})
	}
}
