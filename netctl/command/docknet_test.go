// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

func TestDocknet(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24")
	for _, q := range []model.DockerNetworkRequest{
		{ID: "c26f3178ed0679348ce38dfc", Host: "h1", Options: map[string]string{"network": "blue", "io.contiv.managed": "true"}, Pools: []model.DockerPool{{Subnet: "10.1.1.0/24"}}},
		{ID: "c26f8b1539f849390405f5c0", Host: "h2", Pools: []model.DockerPool{{Subnet: "10.9.0.0/16"}}},
	} {
		if _, err := m.CreateDockerNetwork(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	m.Endpoint(t, "default", "blue", "", "pod", "") // is none of Docker's
	if _, _, err := m.CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: "c1",
		DockerNetwork: "c26f3178ed0679348ce38dfc", ConfigEP: model.EndpointConfigRequest{Container: "c1", Host: "h1"}}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		line string
		code int
		out  string
		err  string
	}{
		{"docknet ls", 0, "Id            Host  Tenant   Network                   Group  Subnets      Endpoints  Made by\n" +
			"--            ----  ------   -------                   -----  -------      ---------  -------\n" +
			"c26f3178ed06  h1    default  blue                             10.1.1.0/24  1          agent\n" +
			"c26f8b1539f8  h2    default  c26f8b1539f849390405f5c0         10.9.0.0/16  0          user, with its network\n", ""},
		{"docknet ls --host h1 -o name", 0, "c26f3178ed0679348ce38dfc\n", ""},
		{"docknet inspect c26f3", 0, "\"network\": \"blue\"", ""},
		{"docknet inspect c26f", 1, "", "2 Docker networks begin with c26f (use a longer prefix of the id)"},
		{"docknet inspect docknet/c26f3", 0, "\"network\": \"blue\"", ""},
		{"get docknets -o name", 0, "docknet/c26f3178ed0679348ce38dfc\ndocknet/c26f8b1539f849390405f5c0\n", ""},
		{"get docknet/c26f3 --no-headers", 0, "c26f3178ed06  h1  default  blue    10.1.1.0/24  1  agent\n", ""},
		{"get docknet c26f3 c26f8 -o custom-columns=ID:.id,HOST:.host", 0, "c26f3178ed0679348ce38dfc  h1\nc26f8b1539f849390405f5c0  h2\n", ""},
		{"get docknet/c26f3 network/blue -o name", 0, "docknet/c26f3178ed0679348ce38dfc\nnetwork/default:blue\n", ""},
		{"get nodes,docknets -o name", 0, "node/h1\ndocknet/c26f3178ed0679348ce38dfc\ndocknet/c26f8b1539f849390405f5c0\n", ""},
		{"get docknet/none", 1, "", "Docker network none not found"},
		{"get docknets --at 1h", 1, "", "remove nodes, docknets"},
		{"describe docknet/c26f3", 1, "", "want netctl get docknet/ID"},
		{"docknet inspect none", 1, "", "Docker network none not found (list those of users with netctl docknet ls; docker network inspect shows those that an agent has created)"},
		{"network rm c26f8b1539f849390405f5c0", 1, "Deleting", "netctl docknet rm c26f8b1539f849390405f5c0"},
		{"docknet rm c26f8", 0, "Docker network c26f8b1539f849390405f5c0 deleted\n", ""},
		{"network ls -q", 0, "blue\n", ""},
		{"__complete docknet rm \"\"", 0, "c26f3178ed0679348ce38dfc\n", ""},
	} {
		r := netctl(t, t.Context(), m.URL, strings.Fields(strings.ReplaceAll(step.line, `""`, "c"))...)
		if (r.code == 0) != (step.code == 0) || !strings.Contains(trimmed(r.out), step.out) || !strings.Contains(r.err, step.err) {
			t.Errorf("netctl %s: want %d %q %q, got %d %q %q", step.line, step.code, step.out, step.err, r.code, trimmed(r.out), r.err)
		}
	}
}

// trimmed has no blanks at the ends of its lines.
func trimmed(s string) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		out = append(out, strings.TrimRight(line, " "))
	}
	return strings.Join(out, "\n")
}
