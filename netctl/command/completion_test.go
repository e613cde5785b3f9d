// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Words are completed from one registry: kinds, names in the tenant, values of flags, hosts and codes; nothing falls back to names of files
// except flags that take files.
func TestCompletion(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, line := range []string{"tenant create shop", "network create -t shop front -s 10.7.0.0/24", "network create back -s 10.9.0.0/24", "group create -t shop front web",
		"policy create -t shop in", "policy rule-add -t shop in 1 --direction in --action deny"} {
		if got := netctl(t, t.Context(), m.URL, strings.Fields(line)...); got.code != 0 {
			t.Fatalf("%s: %+v", line, got)
		}
	}
	m.Endpoint(t, "shop", "front", "web", "c1", "10.7.0.3")
	dockerNetwork(t, m)
	labelled(t, m, "shop", "front", "c1", map[string]string{"tier": "front"})
	for _, row := range []struct{ line, want string }{ // . is the empty word
		{"get net", "netprofile network networkPolicy"},
		{"get network,endpointG", "network,endpointGroup"},
		{"get network -t shop .", "front"},
		{"get network .", "back"},
		{"describe network/", "network/default:back network/shop:front"},
		{"describe node .", "h1"},
		{"describe node/", "node/h1"},
		{"describe endpoint/", "endpoint/shop:front:c1"},
		{"describe network -t shop x .", "front"},
		{"history group -t shop .", "web"},
		{"edit rule -t shop .", "in:1"},
		{"get endpoints .", "c1"},
		{"network ls -t .", "default shop"},
		{"network create --encap .", "vlan vxlan"},
		{"policy rule-add --direction .", "in out"},
		{"policy rule-add -t shop --from-group .", "web"},
		{"endpoint ls --host .", "h1"},
		{"why .", "c1 host/h1"},
		{"why a b .", "tcp udp icmp"},
		{"flows .", "h1"},
		{"node forget .", "h1"},
		{"explain in-", "in-use"},
		{"ack uplink-d", "uplink-down"},
		{"get network --sort-by Sub", "Subnet"},
		{"network ls -o js", "json jsonpath="},
		{"network create --subnet .", ""},
		{"get dock", "docknets"},
		{"get docknet/", "docknet/c26f3178ed0679348ce38dfc"},
		{"get docknets .", "c26f3178ed0679348ce38dfc"},
		{"delete dock", ""},
		{"find .", "back default front h1 in shop web"},
		{"find w", "web"},
		{"find SH", "SHop"},
		{"find fro", "front"},
		{"find shop:front:", "shop:front:c1"},
		{"find 10.7", "10.7.0.0/24 10.7.0.3"},
		{"find tier=f", "tier=front"},
		{"find c26f", "c26f3178ed0679348ce38dfc"},
		{"find tcp 5", ""},
		{"find nowhere", ""},
	} {
		args := strings.Fields(row.line)
		if args[len(args)-1] == "." {
			args[len(args)-1] = ""
		}
		got := netctl(t, t.Context(), m.URL, append([]string{"__completeNoDesc"}, args...)...)
		lines := strings.Split(strings.TrimSpace(got.out), "\n")
		directive := lines[len(lines)-1]
		var offered []string
		for _, l := range lines[:len(lines)-1] {
			if strings.HasPrefix(l, args[len(args)-1]) { // as shells filter
				offered = append(offered, l)
			}
		}
		if strings.Join(offered, " ") != row.want || directive != ":4" && directive != ":6" {
			t.Errorf("%s: want %q without files, got %q and %s", row.line, row.want, offered, directive)
		}
	}
}

// dockerNetwork creates one on host h1.
func dockerNetwork(t *testing.T, m *mastertest.Master) {
	t.Helper()
	if _, err := m.CreateDockerNetwork(t.Context(), model.DockerNetworkRequest{ID: "c26f3178ed0679348ce38dfc", Host: "h1", Options: map[string]string{"tenant": "shop", "network": "front"},
		Pools: []model.DockerPool{{Subnet: "10.7.0.0/24"}}}); err != nil {
		t.Fatal(err)
	}
}

// labelled reports the labels of a container of host h1.
func labelled(t *testing.T, m *mastertest.Master, tenant, network, name string, labels map[string]string) {
	t.Helper()
	if err := m.UpdateEndpoint(t.Context(), model.UpdateEndpointRequest{Event: "start", Tenant: tenant, Network: network, EndpointID: name, ContainerID: name, Host: "h1", Labels: labels}); err != nil {
		t.Fatal(err)
	}
}

// Every flag with a value and every argument has a completion, except those of files.
func TestEverythingIsCompleted(t *testing.T) {
	root := newRoot(&Factory{Getenv: func(string) string { return "" }}, cobra.ShellCompNoDescRequestCmd)
	files := strings.Join(fileFlags(), " ")
	for _, c := range runnable(root) {
		if c.ValidArgsFunction == nil && len(c.ValidArgs) == 0 && !strings.HasPrefix(c.CommandPath(), "netctl completion") {
			t.Errorf("%s completes its arguments by files", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, has := c.GetFlagCompletionFunc(f.Name)
			if !has && f.Value.Type() != "bool" && !strings.Contains(files, f.Name) && c.Name() != "support-bundle" && !strings.HasPrefix(c.CommandPath(), "netctl completion") {
				t.Errorf("%s --%s completes its value by files", c.CommandPath(), f.Name)
			}
		})
	}
}
