// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/enginetest"
)

// TestRules changes objects and looks which rules agents get: nothing is missing, and nothing is left behind.
func TestRules(t *testing.T) {
	// Groups web (number 1), which has policy p, and db (number 2), which has none.
	base := []string{"network blue encap=vxlan subnet=10.1.1.0/24", "policy p", "group web networkName=blue policies=p", "group db networkName=blue"}
	for _, row := range []struct {
		name string
		do   []string
		want []string
	}{
		{"none", nil, nil},
		{"anything in", []string{"rule p:1 direction=in action=deny"}, []string{"web/p:1 in deny 1"}},
		{"TCP in", []string{"rule p:1 direction=in action=deny protocol=tcp"}, []string{"web/p:1 in protocol 6 openings deny 1"}},
		{"TCP in, to a port", []string{"rule p:1 direction=in action=allow protocol=tcp port=80"}, []string{"web/p:1 in protocol 6 port 80 allow 1"}},
		{"UDP out, to a group's port", []string{"rule p:1 direction=out action=allow protocol=udp port=53 toEndpointGroup=db priority=10"},
			[]string{"web/p:1 out group db protocol 17 port 53 allow 10"}},
		{"from a network", []string{"rule p:1 direction=in action=allow fromNetwork=blue"}, []string{"web/p:1 in network blue allow 1"}},
		{"to a network, out", []string{"rule p:1 direction=out action=deny toNetwork=blue protocol=icmp"},
			[]string{"web/p:1 out network blue protocol 1 deny 1"}},
		{"from an address", []string{"rule p:1 direction=in action=deny fromIpAddress=10.9.3.0/16"}, []string{"web/p:1 in 10.9.0.0/16 deny 1"}},
		{"from a range", []string{"rule p:1 direction=in action=deny fromIpAddress=10.9.3.10-17"},
			[]string{"web/p:1 in 10.9.3.10/31,10.9.3.12/30,10.9.3.16/31 deny 1"}},
		{"to an IPv6 address", []string{"rule p:1 direction=out action=allow toIpAddress=fd08::5 protocol=tcp port=80"},
			[]string{"web/p:1 out fd08::5/128 protocol 6 port 80 allow 1"}},
		{"from a group at an address", []string{"rule p:1 direction=in action=allow fromEndpointGroup=db fromIpAddress=10.1.1.7"},
			[]string{"web/p:1 in group db 10.1.1.7/32 allow 1"}},
		{"a protocol by number", []string{"rule p:1 direction=in action=allow protocol=89"}, []string{"web/p:1 in protocol 89 allow 1"}},
		{"removed", []string{"rule p:1 direction=in action=deny", "rule p:2 direction=in action=allow", "rm rule p:1"}, []string{"web/p:2 in allow 1"}},
		{"changed", []string{"rule p:1 direction=in action=deny protocol=tcp port=80", "apply rule p:1 port=8080 action=allow"},
			[]string{"web/p:1 in protocol 6 port 8080 allow 1"}},
		{"turned round", []string{"rule p:1 direction=in action=deny", "apply rule p:1 direction=out"}, []string{"web/p:1 out deny 1"}},
		{"a policy that no group has", []string{"policy q", "rule q:1 direction=in action=deny"}, nil},
		{"a second group", []string{"rule p:1 direction=in action=deny", "group db policies=p"}, []string{"db/p:1 in deny 1", "web/p:1 in deny 1"}},
		{"another policy", []string{"rule p:1 direction=in action=deny", "policy q", "rule q:9 direction=in action=allow", "group web policies=q"},
			[]string{"web/q:9 in allow 1"}},
		{"the group is gone", []string{"rule p:1 direction=in action=deny", "rm group web"}, nil},
		{"the policy is gone", []string{"rule p:1 direction=in action=deny", "group web policies=", "rm policy p"}, nil},
		{"the group that a rule names is gone", []string{"rule p:1 direction=in action=allow fromEndpointGroup=db", "rm group db"},
			[]string{"web/p:1 in group db allow 1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := enginetest.Start(t, enginetest.Options{})
			w.Must(t, base...)
			w.Must(t, row.do...)
			if got := w.AgentRules(t); strings.Join(got, "\n") != strings.Join(row.want, "\n") {
				t.Errorf("want %s\ngot  %s", strings.Join(row.want, "\n     "), strings.Join(got, "\n     "))
			}
		})
	}
}
