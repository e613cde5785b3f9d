// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// rogueObjects are what the admin of tenant red asks for in each kind that it may write, by which the cluster or another tenant would be reached, as PATH BODY;
// and "OK PATH BODY" what it may.
func rogueObjects() map[string][]string {
	return map[string][]string{
		"network": {
			`networks/red:inf {"tenantName":"red","networkName":"inf","nwType":"infra","encap":"vxlan","subnet":"10.66.0.0/24"}`,
			`networks/red:inf {"tenantName":"red","networkName":"inf","nwType":"infra","encap":"vlan","pktTag":12,"subnet":"10.66.0.0/24"}`,
			`networks/red:v1 {"tenantName":"red","networkName":"v1","encap":"vlan","pktTag":1,"subnet":"10.66.0.0/24"}`,
			`networks/blue:n {"tenantName":"blue","networkName":"n","encap":"vxlan","subnet":"10.66.0.0/24"}`,
			`OK networks/red:v {"tenantName":"red","networkName":"v","encap":"vlan","subnet":"10.66.1.0/24"}`,
			`OK networks/red:x {"tenantName":"red","networkName":"x","encap":"vxlan","pktTag":77,"subnet":"10.66.2.0/24"}`,
		},
		"extContractsGroup": {
			`extContractsGroups/red:c {"tenantName":"red","contractsGroupName":"c","contractsType":"consumed","contracts":["uni/tn-zztop/brc-x"]}`,
			`extContractsGroups/red:c {"tenantName":"red","contractsGroupName":"c","contractsType":"consumed","contracts":["uni/tn-red/brc-x","uni/tn-red2/brc-x"]}`,
			`extContractsGroups/red:c {"tenantName":"red","contractsGroupName":"c","contractsType":"consumed","contracts":["anything"]}`,
			`OK extContractsGroups/red:own {"tenantName":"red","contractsGroupName":"own","contractsType":"consumed","contracts":["uni/tn-red/brc-x"]}`,
		},
		"endpointGroup": {`endpointGroups/blue:g {"tenantName":"blue","groupName":"g","networkName":"n"}`},
		"policy":        {`policys/blue:p {"tenantName":"blue","policyName":"p"}`},
		"rule":          {`rules/blue:p:1 {"tenantName":"blue","policyName":"p","ruleId":"1","direction":"in","action":"allow"}`},
		"netprofile":    {`netprofiles/blue:p {"tenantName":"blue","profileName":"p","bandwidth":"10mbps"}`},
		"serviceLB":     {`serviceLBs/blue:s {"tenantName":"blue","serviceName":"s","networkName":"n","ports":["80:80:TCP"],"selectors":["a=b"]}`},
		"appProfile":    {`appProfiles/blue:a {"tenantName":"blue","appProfileName":"a"}`},
		"volume":        {`volumes/blue:v {"tenantName":"blue","volumeName":"v"}`},
		"volumeProfile": {`volumeProfiles/blue:v {"tenantName":"blue","volumeProfileName":"v"}`},
		"tenant":        {`tenants/red {"tenantName":"red"}`, `tenants/new {"tenantName":"new"}`},
		"global":        {`globals/global {"name":"global","vlans":"1-4094","vxlans":"1-10000","pvtSubnet":"172.19.0.0/16"}`},
		"Bgp":           {`Bgps/h1 {"hostname":"h1","routerip":"10.1.1.1/24","as":"65000","neighbor":"10.1.1.2","neighbor-as":"65001"}`},
		"aciGw":         {`aciGws/aciGw {"name":"aciGw","enforcePolicies":"yes","includeCommonTenant":"no","physicalDomain":"d"}`},
		"user":          {`users/eve {"username":"eve"}`}, "authorization": {`authorizations/a {"authorizationName":"a","userName":"ann","role":"admin"}`},
		"ldapConfiguration": {`ldapConfigurations/ldap {"name":"ldap","server":"ldap.evil.example","baseDN":"dc=evil"}`}, "oidcConfiguration": {`oidcConfigurations/oidc {"name":"oidc","issuer":"https://evil.example","clientId":"x"}`},
	}
}

// The admin of a tenant reaches nothing beyond it by any kind of object, of which none is left out: neither alone nor among several, nor by deleting what
// an operator has made in the tenant.
func TestRogueTenant(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	m.Must(t, "tenant red", "tenant blue", "network inf0 tenantName=red nwType=infra encap=vxlan subnet=10.67.0.0/24", "network n tenantName=blue encap=vxlan subnet=10.68.0.0/24")
	ann := login(t, m, "ann", "tenant-admin", "red")
	objects := rogueObjects()
	for _, k := range model.Kinds() {
		if !k.Writable() {
			continue
		}
		if len(objects[k.Name]) == 0 {
			t.Errorf("say in rogueObjects what the admin of a tenant would reach by a %s", k.Name)
		}
		for _, line := range objects[k.Name] {
			line, may := strings.CutPrefix(line, "OK ")
			path, body, _ := strings.Cut(line, " ")
			want := http.StatusForbidden
			if may {
				want = http.StatusOK
			}
			apply := `{"dryRun":true,"objects":[{"kind":"` + k.Name + `","fields":` + body + `}]}`
			for what, got := range map[string]func() (int, string){
				"applied": func() (int, string) { return status(t, ann, "POST", "/api/v1/apply", apply) },
				"put":     func() (int, string) { return status(t, ann, "POST", "/api/v1/"+path+"/", body) },
			} {
				if code, text := got(); code != want && !(may && what == "applied" && code == http.StatusConflict) || !may && !strings.Contains(text, `"remedy"`) {
					t.Errorf("%s %s: want %d, got %d %s", line, what, want, code, text)
				}
			}
		}
	}
	if code, text := status(t, ann, "DELETE", "/api/v1/networks/red:inf0/", ""); code != http.StatusForbidden || !strings.Contains(text, "reaches an interface and a route of every host") {
		t.Errorf("deleting an infra network: got %d %s", code, text)
	}
	if code, text := status(t, ann, "POST", "/api/v1/apply", `{"delete":true,"objects":[{"kind":"network","fields":{"tenantName":"red","networkName":"inf0","encap":"vxlan","subnet":"10.67.0.0/24"}}]}`); code != http.StatusForbidden {
		t.Errorf("deleting an infra network among several: got %d %s", code, text)
	}
	if code, text := status(t, ann, "POST", "/api/v1/labels", `{"set":{"a":"b"},"objects":[{"kind":"network","fields":{"tenantName":"red","networkName":"inf0"}}]}`); code != http.StatusForbidden || !strings.Contains(text, "reaches an interface and a route of every host") {
		t.Errorf("labelling an infra network: got %d %s", code, text)
	}
	for _, r := range m.Routes { // nor by a route that concerns the cluster
		path := strings.NewReplacer(":key", "x", ":kind", "network", ":id", "x", ":host", "h1", ":what", "flows", ":namespace", "x").Replace(r.Path)
		if name := r.Method + " " + r.Path; r.Access.Open == nil && !r.Access.User {
			if code, text := status(t, ann, r.Method, path, "{}"); code != http.StatusForbidden {
				t.Errorf("%s: got %d %s", name, code, text)
			}
		}
	}
	op := login(t, m, "op", "operator", "")
	if code, text := status(t, op, "DELETE", "/api/v1/networks/red:inf0/", ""); code != http.StatusOK {
		t.Errorf("an operator: got %d %s", code, text)
	}
}
