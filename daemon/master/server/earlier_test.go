// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Reads about an earlier moment need the rights that those about the present need, at every route, and show nothing of other tenants.
func TestRightsAtAnEarlierMoment(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	m.Must(t, "tenant red", "tenant blue", "network n tenantName=red encap=vxlan subnet=10.66.0.0/24", "network n tenantName=blue encap=vxlan subnet=10.68.0.0/24",
		"attach n mine tenantName=red", "attach n theirs tenantName=blue")
	ann := login(t, m, "ann", "tenant-admin", "red")
	then := fmt.Sprintf("at=%d", m.Catalog.Revision())
	m.Must(t, "detach n mine tenantName=red", "detach n theirs tenantName=blue")
	for _, row := range []struct {
		path   string
		status int
		want   []string // "!" in front: is not in the answer
	}{
		{"/endpoints/?", 200, []string{"red:n:mine", "!theirs"}},
		{"/inspect/endpoints/theirs/?", 404, []string{"!10.68.0.1"}},
		{"/networks/?", 200, []string{"red:n", "!blue:n"}},
		{"/networks/blue:n/?", 403, []string{"!10.68"}},
		{"/find?q=theirs&", 200, []string{"!blue:n:theirs"}},
		{"/why?from=theirs&to=10.68.0.9&", 403, []string{"!10.68.0.1"}},
		{"/why?from=mine&to=10.66.0.9&tenant=red&", 200, []string{"no container has 10.66.0.9"}},
		{"/health?", 403, nil},
	} {
		code, text := status(t, ann, "GET", "/api/v1"+row.path+then, "")
		if code != row.status {
			t.Errorf("%s: want %d, got %d %s", row.path, row.status, code, text)
		}
		for _, want := range row.want {
			want, missing := strings.CutPrefix(want, "!")
			if strings.Contains(text, want) == missing {
				t.Errorf("%s: want %q in it: %v, got %s", row.path, want, !missing, text)
			}
		}
	}
	for _, r := range m.Routes {
		if r.Method != http.MethodGet || r.Stream || r.Access.Open != nil {
			continue
		}
		path := strings.NewReplacer(":key", "x", ":kind", "network", ":id", "x", ":host", "h1", ":what", "flows", ":namespace", "x").Replace(r.Path)
		if got, text := status(t, m.Stranger(), "GET", path+"?"+then, ""); got != http.StatusUnauthorized {
			t.Errorf("%s, of a stranger: got %d %s", r.Path, got, text)
		}
	}
}
