// SPDX-License-Identifier: Apache-2.0

package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
)

// twins is the fixed cluster with an endpoint web-1 in both tenants.
func twins() *feed.Snapshot {
	s, _ := fixed()
	s.Endpoints = append(slices.Clone(s.Endpoints), &feed.Endpoint{Key: "default:green:web-1", EndpointID: "web-1", Network: "green.default", HomingHost: "h2",
		IpAddress: [2]string{"10.2.1.11", ""}})
	return s
}

// Two tenants may call endpoints the same: every path leads to that of the row, and an ambiguous name asks which is meant.
func TestEndpointsOfOneName(t *testing.T) {
	for _, row := range []struct {
		name string
		keys []string
		want string
	}{
		{"describe", []string{"8", "G", "d"}, "$ netctl describe endpoint default:green:web-1"},
		{"describe the other", []string{"8", "j", "d"}, "Endpoint acme:blue:web-1"},
		{"enter", []string{"8", "G", "enter"}, "$ netctl describe endpoint default:green:web-1"},
		{"YAML", []string{"8", "G", "y"}, "homingHost: h2"},
		{"flows", []string{"8", "G", "f"}, "--owner endpoint/default:green:web-1"},
		{"history", []string{"8", "G", "H"}, "netctl history endpoint default:green:web-1"},
		{"why", []string{"8", "G", "w"}, "From     endpoint/default:green:web-1"},
		{"address", []string{"8", "G", "a"}, "netctl ip show --tenant default green"},
		{"tree", []string{"8", "G", "t"}, "endpoint web-1 on h2"},
		{"by key", append(append([]string{":"}, strings.Split("endpoint/default:green:web-1:yaml", "")...), "enter"), "homingHost: h2"},
		{"by name", append(append([]string{":"}, strings.Split("endpoint/web-1", "")...), "enter"), "endpoints of the name web-1"},
	} {
		m, _ := still(t, mono(t, false), page.Overview(), 160, 40)
		m.Update(twins())
		if press(m, row.keys...); !strings.Contains(Plain(m.Frame()), row.want) {
			t.Errorf("%s: want %q, got:\n%s", row.name, row.want, Plain(m.Frame()))
		}
	}
}
