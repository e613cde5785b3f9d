// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// A list may be given by repeated flags, as in the original, or joined by commas.
func TestListsOfFlags(t *testing.T) {
	session(t, []step{
		{"policy create a", 0, "Creating policy default:a\n", ""}, {"policy create b", 0, "Creating policy default:b\n", ""}, {"policy create c", 0, "Creating policy default:c\n", ""},
		{"network create n1 -s 10.1.1.0/24", 0, "Creating network default:n1\n", ""},
		{"group create n1 web -p a,b -p c", 0, "Creating EndpointGroup default:web\n", ""},
		{"group ls -o jsonpath={[0].policies}", 0, "[\"a\",\"b\",\"c\"]\n", ""},
		{"external-contracts create x -p -a c1,c2 -a c3", 0, "Creating ExternalContracts default:x\n", ""},
		{"external-contracts ls -o jsonpath={[0].contracts}", 0, "[\"c1\",\"c2\",\"c3\"]\n", ""},
		{"service create s -s n1 -l tier=web,release=stable -p 80:8080:TCP,81:8081:UDP", 0, "Creating ServiceLB default:s\n", ""},
		{"service ls -o jsonpath={[0].selectors}{[0].ports}", 0, "[\"tier=web\",\"release=stable\"][\"80:8080:TCP\",\"81:8081:UDP\"]\n", ""},
	})
}

// One error lists all missing fields of a file, with their permitted values.
func TestMissingFields(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, r := range []struct{ in, want string }{
		{"{kind: network, networkName: n, tenantName: default, subnet: 10.1.1.0/24}", "network default:n: encap is missing (it is vlan or vxlan)"},
		{"{kind: network, networkName: n, tenantName: default}", "network default:n: encap and subnet are missing (encap: it is vlan or vxlan; subnet: it takes an IPv4 subnet"},
		{"{kind: network, tenantName: default, encap: vlan, subnet: 10.1.1.0/24}", "networkName is missing (it takes letters"},
		{"{kind: rule, tenantName: default, policyName: p, ruleId: '1', direction: in}", "rule default:p:1: action is missing (it is allow or deny)"},
		{"{kind: network, networkName: n, tenantName: default, subnet: 10.1.1.0/24, encap: vlam}", "network default:n: encap string invalid format (encap is vlan or vxlan, got \"vlam\")"},
	} {
		for _, line := range []string{"apply -f -", "diff -f -"} {
			got := netctlFed(t, t.Context(), m.URL, r.in, strings.Fields(line)...)
			if got.code != 3 || !strings.Contains(got.err, r.want) {
				t.Errorf("%s of %s: want %q, got %+v", line, r.in, r.want, got)
			}
		}
	}
}

// An unknown tenant, network, group or host is reported as unknown, and not as empty, with a suggestion.
func TestUnknownNames(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, line := range []string{"tenant create acme", "network create n1 -s 10.1.1.0/24", "network create -t acme blue -s 10.1.1.0/24", "group create n1 web"} {
		if got := netctl(t, t.Context(), m.URL, strings.Fields(line)...); got.code != 0 {
			t.Fatalf("%s: %+v", line, got)
		}
	}
	m.Endpoint(t, "default", "n1", "", "c1", "")
	m.Endpoint(t, "default", "n1", "", "c2", "")
	const tenant = `there is no tenant "acne"; did you mean acme? netctl tenant ls lists them`
	for line, want := range map[string]string{
		"network inspect -t acne blue": tenant, "network rm -t acne blue": tenant, "get network -t acne blue": tenant, "describe network -t acne blue": tenant,
		"group inspect -t acne web": tenant, "policy rule-inspect -t acne p 1": tenant, "app-profile group-ls -t acne x": tenant, "ip show blue -t acne": tenant,
		"network create -t acne x -s 10.2.1.0/24": `create it with netctl tenant create acne; did you mean acme?`,
		"network ls -t acne":                      "did you mean acme?", "get all -t acne": "did you mean acme?", "get ep -t acne": "did you mean acme?", "ep ls -t acne": "did you mean acme?",
		"matrix -t acne": "did you mean acme?", "export -t acne": "did you mean acme?", "why c1 c2 -t acne": "did you mean acme?", "capture c1 -t acne": "did you mean acme?", "observe -t acne": "did you mean acme?",
		"network ls -t zzz":    "tenants: acme, default; netctl tenant ls",
		"network inspect blue": "did you mean acme:blue?", "group inspect wep": "did you mean default:web?",
		"ep ls -n blu": "network blu", "ep ls -g wep": "group wep", "ep ls --host h9": "netctl node ls", "why c1 c2 -n n2": "network n2",
	} {
		got := netctl(t, t.Context(), m.URL, strings.Fields(line)...)
		if got.code != 3 || !strings.Contains(got.err, want) {
			t.Errorf("netctl %s: want exit 3 and %q, got %+v", line, want, got)
		}
	}
	for _, line := range []string{"ep ls -n n1", "ep ls -g web", "ep ls --host h1", "ep ls -t acme", "ep ls -n blue", "export -t acme"} {
		if got := netctl(t, t.Context(), m.URL, strings.Fields(line)...); got.code != 0 {
			t.Errorf("netctl %s: %+v", line, got)
		}
	}
}
