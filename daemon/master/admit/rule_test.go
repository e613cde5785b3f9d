// SPDX-License-Identifier: Apache-2.0

package admit_test

import (
	"slices"
	"testing"

	"github.com/contiv/contiv/daemon/master/enginetest"
)

func TestRules(t *testing.T) {
	base := []string{blue, "policy p", "group web networkName=blue policies=p", "group db networkName=blue"}
	and := func(line string) []string { return append(slices.Clone(base), line) }
	try(t, enginetest.Options{}, []row{
		{"in", base, "rule p:1 direction=in action=allow protocol=tcp port=80 fromEndpointGroup=db", ""},
		{"out", base, "rule p:1 direction=out action=deny toIpAddress=10.9.0.0/16", ""},
		{"a protocol by number", base, "rule p:1 direction=in action=allow protocol=89", ""},
		{"a range", base, "rule p:1 direction=in action=deny fromIpAddress=10.1.1.3-9", ""},
		{"a range that runs backwards", base, "rule p:1 direction=in action=deny fromIpAddress=10.1.1.9-3",
			`invalid fromIpAddress: "10.1.1.9-3" is not a range of addresses from the lowest to the highest (give an address, a subnet, or a range such as 10.1.1.8-15)`},
		{"IPv6", base, "rule p:1 direction=in action=deny fromIpAddress=fd01::/64", ""},
		{"one's own address", and("attach blue c1 group=web address=10.1.1.15"), "rule p:1 direction=in action=allow toIpAddress=10.1.1.15", ""},
		{"the address of none of the group", base, "rule p:1 direction=in action=allow toIpAddress=10.1.1.15",
			"invalid toIpAddress: Invalid rule: toIpAddress in a rule of direction in (no endpoint of group web has the address 10.1.1.15)"},
		{"changed, by a client of the original", and("rule p:1 direction=in action=allow"), "rule p:1 direction=in action=deny",
			"immutable: Cant change rule parameters after its created. Key: default:p:1 (netctl edit rule/default:p:1, or netctl apply with a file, changes it)"},
		{"changed", and("rule p:1 direction=in action=allow"), "apply rule p:1 direction=out action=deny", ""},
		{"changed to what no rule is", and("rule p:1 direction=in action=allow"), "apply rule p:1 direction=in fromEndpointGroup=mail",
			`not-found fromEndpointGroup: rule default:p:1: endpoint group not found (the key is "default:mail"; netctl group ls --all lists them)`},
		{"no such policy", base, "rule q:1 direction=in action=allow",
			"not-found policyName: Policy not found (create it with netctl policy create --tenant default q)"},
		{"no such group", base, "rule p:1 direction=in action=allow fromEndpointGroup=mail",
			"not-found fromEndpointGroup: endpoint group not found (the key is \"default:mail\"; netctl group ls --all lists them)"},
		{"no such network", base, "rule p:1 direction=out action=allow toNetwork=red",
			"not-found toNetwork: to Network not found (the key is \"default:red\"; netctl network ls --all lists them)"},
		{"to, of a rule for what comes in", base, "rule p:1 direction=in action=allow toNetwork=blue",
			"invalid toNetwork: Invalid rule: toNetwork in a rule of direction in (where traffic comes from is named with in, where it goes to with out)"},
		{"from, of a rule for what goes out", base, "rule p:1 direction=out action=allow fromEndpointGroup=db",
			"invalid fromEndpointGroup: Invalid rule: fromEndpointGroup in a rule of direction out (where traffic comes from is named with in, where it goes to with out)"},
		{"network and address", base, "rule p:1 direction=in action=allow fromNetwork=blue fromIpAddress=10.1.1.1",
			"invalid fromNetwork: Invalid rule: both fromNetwork and fromIpAddress (leave one of them out)"},
		{"network and group", base, "rule p:1 direction=out action=allow toNetwork=blue toEndpointGroup=db",
			"invalid toNetwork: Invalid rule: both toNetwork and toEndpointGroup (leave one of them out)"},
		{"a protocol that is no number of one", base, "rule p:1 direction=in action=allow protocol=256",
			"invalid protocol: protocol Value Out of bound (a protocol number is between 0 and 255)"},
		{"removed, and there is none", base, "rm rule p:1",
			`not-found: rule not found (the key is "default:p:1"; netctl get rule --all lists them)`},
		{"its policy removed while groups have it", base, "rm policy p",
			"in-use: Policy is being used (detach it from the groups default:web first)"},
		{"a policy of no tenant", nil, "policy p tenantName=acme",
			`not-found tenantName: Tenant not found (create it with netctl tenant create acme; tenants: default; netctl tenant ls lists them)`},
	})
}
