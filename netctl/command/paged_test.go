// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Selectors print the matching objects, or a message if none matches.
func TestSelectors(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	netctl(t, t.Context(), m.URL, "network", "create", "n1", "-s", "10.1.1.0/24")
	for i, app := range []string{"web", "db"} {
		if _, _, err := m.CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "n1", EndpointID: app, Labels: map[string]string{"app": app},
			ConfigEP: model.EndpointConfigRequest{Container: app, Host: fmt.Sprint("h", i)}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		line     string
		code     int
		out, err string
	}{
		{"ep ls -q -l app=web", 0, "web\n", ""},
		{"ep ls -q -l app!=web", 0, "db\n", ""},
		{"ep ls -q --field-selector homingHost=h1", 0, "db\n", ""},
		{"ep ls -q --field-selector homingHost=h1 -l app=web", 0, "", ""},
		{"ep ls --field-selector colour=red", 3, "", "endpoints have no field"},
		{"ep ls -l app=web -o json --field-selector homingHost=h9", 0, "{\n  \"items\": []\n}\n", ""},
		{"get eps -o name -l app=web", 0, "endpoint/default:n1:web\n", ""},
		{"network ls -q --field-selector encap=vlan", 0, "", ""},
		{"network ls -q --field-selector encap!=vlan", 0, "n1\n", ""},
		{"network ls -q -l app=web", 0, "", ""},
		{"get kubeservice -l app=web", 3, "", "Kubernetes services have no labels"},
		{"get all -o name -l app=web", 0, "endpoint/default:n1:web\n", ""},
		{"get all --field-selector a=b", 1, "", "remove all"},
		{"get nodes -l app=web", 1, "", "remove nodes"},
		{"get network n1 --field-selector encap=vxlan", 1, "", "remove n1"},
	} {
		got := netctl(t, t.Context(), m.URL, strings.Fields(row.line)...)
		if got.code != row.code || got.out != row.out || !strings.Contains(got.err, row.err) {
			t.Errorf("netctl %s: want exit %d, %q and %q, got %d, %q and %q", row.line, row.code, row.out, row.err, got.code, got.out, got.err)
		}
	}
}

// Lists of more than a page are one table with one header, one document, and each name once.
func TestListOfSeveralPages(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	netctl(t, t.Context(), m.URL, "network", "create", "n1", "-s", "10.1.0.0/16")
	const n = 2*pageSize + 1
	for i := range n {
		m.Endpoint(t, "default", "n1", "", fmt.Sprintf("c%05d", i), "")
	}
	for _, row := range []struct {
		format     string
		more       int // lines beside those of endpoints
		begin, end string
	}{
		{"table", 2, "Endpoint  ", "h1\n"},
		{"name", 0, "endpoint/default:n1:c00000\n", "endpoint/default:n1:c02000\n"},
		{"jsonpath={range [*]}{.endpointID}{\"\\n\"}{end}", 1, "c00000\n", "c02000\n\n"},
	} {
		got := netctl(t, t.Context(), m.URL, "endpoint", "ls", "-o", row.format)
		if lines := strings.Count(got.out, "\n"); got.code != 0 || lines != n+row.more || !strings.HasPrefix(got.out, row.begin) || !strings.HasSuffix(got.out, row.end) {
			t.Errorf("-o %s: want %d lines from %q to %q, got %d lines, exit %d %s", row.format, n+row.more, row.begin, row.end, lines, got.code, got.err)
		}
	}
}

// The completion of --field-selector offers the fields of the kind behind what was typed.
func TestFieldsAfter(t *testing.T) {
	for typed, want := range map[string]string{"": "encap=", "enc": "encap=", "tenantName=blue,": "tenantName=blue,encap=", "tenantName=blue,e": "tenantName=blue,encap="} {
		if got := strings.Join(fieldsAfter(model.KindNetwork(), typed), " "); !strings.Contains(" "+got+" ", " "+want+" ") {
			t.Errorf("after %q: want %q among %s", typed, want, got)
		}
	}
}
