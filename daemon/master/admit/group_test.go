// SPDX-License-Identifier: Apache-2.0

package admit_test

import (
	"testing"

	"github.com/contiv/contiv/daemon/master/enginetest"
)

func TestGroups(t *testing.T) {
	try(t, enginetest.Options{}, []row{
		{"plain", []string{blue}, "group web networkName=blue", ""},
		{"with all", []string{blue, "policy p", "netprofile np", "group other networkName=blue"}, "group web networkName=blue policies=p netProfile=np ipPool=10.1.1.10-10.1.1.20", ""},
		{"policies changed", []string{blue, "policy p", "group web networkName=blue"}, "group web networkName=blue policies=p", ""},
		{"no such tenant", []string{blue}, "group web networkName=blue tenantName=acme",
			`not-found tenantName: Tenant not found (create it with netctl tenant create acme; tenants: default; netctl tenant ls lists them)`},
		{"no such network", nil, "group web networkName=blue",
			"not-found networkName: Network blue not found (create it with netctl network create --tenant default --subnet ADDRESS/LENGTH blue)"},
		{"no such policy", []string{blue}, "group web networkName=blue policies=p",
			"not-found policies: Policy not found (the key is \"default:p\"; netctl policy ls --all lists them)"},
		{"no such profile", []string{blue}, "group web networkName=blue netProfile=np",
			"not-found netProfile: netprofile not found (the key is \"default:np\"; netctl netprofile ls --all lists them)"},
		{"no such contracts", []string{blue}, "group web networkName=blue extContractsGrps=c",
			"not-found extContractsGrps: External contracts group not found (the key is \"default:c\"; netctl external-contracts ls --all lists them)"},
		{"the name of a network", []string{blue}, "group blue networkName=blue",
			"conflict groupName: Endpoint group blue conflicts with the network of the same name (networks and groups of a tenant share their names; choose another)"},
		{"another network", []string{blue, "network red encap=vxlan subnet=10.1.2.0/24", "group web networkName=blue"}, "group web networkName=red",
			"immutable networkName: Cannot change network association after epg is created. (group web is on network blue; delete the group and create it again)"},
		{"another pool", []string{blue, "group web networkName=blue"}, "group web networkName=blue ipPool=10.1.1.10-10.1.1.20",
			`immutable ipPool: Cannot change IP pool after epg is created. (group web has the pool ""; delete the group and create it again)`},
		{"a pool elsewhere", []string{blue}, "group web networkName=blue ipPool=10.1.2.10-10.1.2.20",
			`invalid ipPool: range "10.1.2.10-10.1.2.20": 10.1.2.10 is not in 10.1.1.0/24: address is out of range (ipPool takes first-last within 10.1.1.0/24)`},
		{"a pool backwards", []string{blue}, "group web networkName=blue ipPool=10.1.1.20-10.1.1.10",
			`invalid ipPool: range "10.1.1.20-10.1.1.10": first address is greater than the last (ipPool takes first-last within 10.1.1.0/24)`},
		{"the pool of another", []string{blue, "group db networkName=blue ipPool=10.1.1.10-10.1.1.20"}, "group web networkName=blue ipPool=10.1.1.20-10.1.1.30",
			"conflict ipPool: 10.1.1.20 in 10.1.1.0/24: address is reserved (every address of the pool must be free; free are 10.1.1.1-10.1.1.9, 10.1.1.21-10.1.1.253)"},
		{"a pool with an endpoint", []string{blue, "attach blue c1 address=10.1.1.15"}, "group web networkName=blue ipPool=10.1.1.10-10.1.1.20",
			"conflict ipPool: 10.1.1.15 in 10.1.1.0/24: address is in use (every address of the pool must be free; free are 10.1.1.1-10.1.1.14, 10.1.1.16-10.1.1.253)"},
		{"removed", []string{blue, "group web networkName=blue"}, "rm group web", ""},
		{"removed, and there is none", nil, "rm group web",
			`not-found: endpointGroup not found (the key is "default:web"; netctl group ls --all lists them)`},
		{"removed with endpoints", []string{blue, "group web networkName=blue", "attach blue c1 group=web"}, "rm group web",
			"in-use: group web has active endpoints (remove the containers c1 on h1 first)"},
		{"removed from a profile", []string{blue, "group web networkName=blue", "appProfile shop endpointGroups=web"}, "rm group web",
			"in-use: Cannot delete web: part of app profile (remove it from default:shop first)"},
	})
}
