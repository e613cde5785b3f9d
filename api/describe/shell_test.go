// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"strings"
	"testing"
)

// TestShell: the command for each runtime, and none for names that a shell would read in another way.
func TestShell(t *testing.T) {
	for _, c := range []struct{ pod, container, host, here, want string }{
		{"shop/web-1", "", "h1", "h1", "kubectl exec -it -n shop web-1 -- sh"},
		{"", "web_1", "h1", "h1", "docker exec -it web_1 sh"},
		{"", "web_1", "h1", "h2", "ssh -t h1 docker exec -it web_1 sh"},
		{"", "web", "", "", ""},
		{"shop/web;rm", "web", "h1", "", ""},
		{"shop/-web", "web", "h1", "", ""},
		{"shop", "web", "h1", "", ""},
		{"shop/", "", "h1", "", ""},
		{"/web", "", "h1", "", ""},
		{"shop/web/x", "", "h1", "", ""},
		{"-n/web", "", "h1", "", ""},
		{"shop/$(id)", "", "h1", "", ""},
		{"", "$(id)", "h1", "", ""},
		{"", "-it", "h1", "", ""},
		{"", "web", "-F", "", ""},
		{"", "", "h1", "", ""},
	} {
		if got := strings.Join(Shell(c.pod, c.container, c.host, c.here), " "); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}
