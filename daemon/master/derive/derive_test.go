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
		{"anything in", []string{"rule p:1 direction=in action=deny"}, []string{"web/p:1:inRx any > group 1 deny 1"}},
		{"TCP in", []string{"rule p:1 direction=in action=deny protocol=tcp"},
			[]string{"web/p:1:inRx any > group 1 protocol 6 syn,!ack deny 1"}},
		{"TCP in, to a port", []string{"rule p:1 direction=in action=allow protocol=tcp port=80"},
			[]string{"web/p:1:inRx any > group 1 port 80 protocol 6 allow 1", "web/p:1:inTx group 1 port 80 > any protocol 6 allow 1"}},
		{"UDP out, to a group's port", []string{"rule p:1 direction=out action=allow protocol=udp port=53 toEndpointGroup=db priority=10"},
			[]string{"web/p:1:outRx group 2 port 53 > group 1 protocol 17 allow 10", "web/p:1:outTx group 1 > group 2 port 53 protocol 17 allow 10"}},
		{"from a network", []string{"rule p:1 direction=in action=allow fromNetwork=blue"},
			[]string{"web/p:1:inRx 10.1.1.0/24 > group 1 allow 1"}},
		{"to a network, out", []string{"rule p:1 direction=out action=deny toNetwork=blue protocol=icmp"},
			[]string{"web/p:1:outTx group 1 > 10.1.1.0/24 protocol 1 deny 1"}},
		{"from an address", []string{"rule p:1 direction=in action=deny fromIpAddress=10.9.0.0/16"},
			[]string{"web/p:1:inRx 10.9.0.0/16 > group 1 deny 1"}},
		{"to an IPv6 address", []string{"rule p:1 direction=out action=allow toIpAddress=fd08::5 protocol=tcp port=80"},
			[]string{"web/p:1:outRx fd08::5 port 80 > group 1 protocol 6 allow 1", "web/p:1:outTx group 1 > fd08::5 port 80 protocol 6 allow 1"}},
		{"a protocol by number", []string{"rule p:1 direction=in action=allow protocol=89"},
			[]string{"web/p:1:inRx any > group 1 protocol 89 allow 1"}},
		{"removed", []string{"rule p:1 direction=in action=deny", "rule p:2 direction=in action=allow", "rm rule p:1"},
			[]string{"web/p:2:inRx any > group 1 allow 1"}},
		{"a policy that no group has", []string{"policy q", "rule q:1 direction=in action=deny"}, nil},
		{"a second group", []string{"rule p:1 direction=in action=deny", "group db policies=p"},
			[]string{"db/p:1:inRx any > group 2 deny 1", "web/p:1:inRx any > group 1 deny 1"}},
		{"another policy", []string{"rule p:1 direction=in action=deny", "policy q", "rule q:9 direction=in action=allow", "group web policies=q"},
			[]string{"web/q:9:inRx any > group 1 allow 1"}},
		{"the group is gone", []string{"rule p:1 direction=in action=deny", "rm group web"}, nil},
		{"the group that a rule names is gone", []string{"rule p:1 direction=in action=allow fromEndpointGroup=db", "rm group db"}, nil},
		{"and back, with another number", []string{"rule p:1 direction=in action=allow fromEndpointGroup=db", "rm group db", "group mail networkName=blue", "group db networkName=blue"},
			[]string{"web/p:1:inRx group 3 > group 1 allow 1"}},
		{"its number taken by another", []string{"rule p:1 direction=in action=allow fromEndpointGroup=db", "rm group db", "group mail networkName=blue"}, nil},
		{"the network that a rule names is gone", []string{"network red encap=vxlan subnet=10.2.2.0/24", "rule p:1 direction=in action=allow fromNetwork=red", "rm network red"}, nil},
		{"and back, with other addresses", []string{"network red encap=vxlan subnet=10.2.2.0/24", "rule p:1 direction=in action=allow fromNetwork=red", "rm network red",
			"network red encap=vxlan subnet=10.3.3.0/24 ipv6Subnet=fd03::/64"},
			[]string{"web/p:1:inRx 10.3.3.0/24 fd03::/64 > group 1 allow 1"}},
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
