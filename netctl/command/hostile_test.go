// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"
	"unicode"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Texts of other users in the cluster command no terminal, in any output format.
func TestHostileText(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	const text = "x\x1b]0;pwn\a\x1b[2J\u009b31m\u202ey"
	mastertest.Put(t, m.Client.Users(), &model.User{Username: "eve", FirstName: text, LastName: "a\nb  admin"})
	m.Must(t, "network net1 encap=vxlan subnet=10.1.1.0/24")
	if _, _, err := m.CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "net1", EndpointID: "c" + text, EPCommonName: text,
		Labels: map[string]string{text: text}, ConfigEP: model.EndpointConfigRequest{Container: "c" + text, Host: "h1"}}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"user ls", "user ls -o wide", "user ls -o yaml", "user ls -o json", "user ls -o jsonpath={[*].firstName}", "user inspect eve", "endpoint ls -a", "endpoint ls -a -o yaml",
		"history", "ledger -a", "user inspect " + strings.ReplaceAll(text, " ", ""), "user rm " + text} {
		got := netctl(t, t.Context(), m.URL, strings.Fields(line)...)
		for _, said := range []string{got.out, got.err} {
			if i := strings.IndexFunc(said, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }); i >= 0 {
				t.Errorf("netctl %q prints %q", line, said[i:min(len(said), i+20)])
			}
		}
		if strings.HasPrefix(line, "user ls") && !strings.Contains(line, "-o ") && strings.Count(got.out, "\n") != 3 {
			t.Errorf("a name has a line of its own: %s", got.out)
		}
	}
	if got := netctl(t, t.Context(), m.URL, "user", "ls"); !strings.Contains(got.out, "pwn") {
		t.Errorf("the rest of the name is gone: %s", got.out)
	}
}
