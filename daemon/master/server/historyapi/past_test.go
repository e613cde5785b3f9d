// SPDX-License-Identifier: Apache-2.0

package historyapi_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// What is asked of the past, and how a question is refused: with the field and the remedy.
func TestPast(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24", "attach blue c1", "detach blue c1")
	for _, row := range []struct {
		name, path string
		status     int
		want       []string // are in the answer
	}{
		{"everything", "/history", 200, []string{`"kind":"network"`, `"kind":"endpoint"`, `"kind":"tenant"`}},
		{"of a kind, by any of its names", "/history/networks", 200, []string{`"key":"default:blue"`}},
		{"of an object", "/history/network/default:blue", 200, []string{`"verb":"create"`}},
		{"of one that never was", "/history/network/default:red", 200, []string{"[]"}},
		{"the newest", "/history/endpoint?limit=1", 200, []string{`"verb":"delete"`}},
		{"no such kind", "/history/gadgets", 400, []string{`"field":"kind"`, "it is a kind of object, address"}},
		{"a limit that is none", "/history?limit=-1", 400, []string{`"field":"limit"`}},
		{"a time that is none", "/history?since=yesterday", 400, []string{`"field":"since"`, "2030-01-02T15:04:05Z"}},
		{"objects as they were at no time", "/history?at=yesterday", 400, []string{`"field":"at"`}},
		{"an object before there was one", "/history/network/default:blue?at=1", 404, []string{"did not exist", "netctl history network default:blue"}},
		{"owners of an address", "/ledger?address=10.1.1.1", 200, []string{"default:blue:c1"}},
		{"addresses of nowhere", "/ledger?address=10.9.9.9", 200, []string{"[]"}},
		{"an address as it is", "/addresses?tenant=default&network=blue&address=10.1.1.1", 200, []string{`"address":"10.1.1.1"`}},
		{"no address", "/addresses", 400, []string{`"field":"address"`, "name one of them, or both"}},
		{"what is no address", "/addresses?address=ten", 400, []string{`"field":"address"`, "not an IP address"}},
		{"a network of no tenant", "/addresses?network=blue", 400, []string{`"field":"tenant"`, "name the tenant too"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, text := ask(t, m.URL+"/api/v1"+row.path)
			if status != row.status {
				t.Fatalf("want status %d, got %d: %s", row.status, status, text)
			}
			for _, want := range row.want {
				if !strings.Contains(text, want) {
					t.Errorf("want %s in it, got %s", want, text)
				}
			}
		})
	}
}

func ask(t *testing.T, url string) (status int, text string) {
	t.Helper()
	status, text, _ = mastertest.Fetch(t, url)
	return status, strings.TrimSpace(text)
}
