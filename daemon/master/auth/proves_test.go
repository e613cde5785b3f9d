// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/trust"
)

// Each combination of role and proof gives exactly the rights in want; all others give none.
func TestProves(t *testing.T) {
	want := map[string]string{
		"agent certificate": "role host", "agent pod": "host", "master certificate": "role others", "monitor certificate": "role",
		"user certificate": "role", "admin certificate": "role admin",
	}
	proofs := []auth.Proof{"", auth.ByCertificate, auth.BySession, auth.ByDirectory, auth.ByProvider, auth.ByService, auth.ByPod, "other"}
	for _, role := range []trust.Role{"", trust.Agent, trust.Master, trust.Monitor, trust.User, "other"} {
		for _, proof := range proofs {
			for _, name := range []string{"h1", auth.Administrator} {
				s := auth.Subject{Identity: trust.Identity{Role: role, Name: name}, Proof: proof}
				p := s.Proves()
				var got []string
				for what, is := range map[string]bool{"role": p.Role, "host": p.Host, "others": p.Others, "admin": p.Admin} {
					if is {
						got = append(got, what)
					}
				}
				key := fmt.Sprint(role, " ", proof)
				if role == trust.User && name == auth.Administrator && proof == auth.ByCertificate {
					key = "admin certificate"
				}
				expected := strings.Fields(want[key])
				slices.Sort(expected)
				slices.Sort(got)
				if !slices.Equal(got, expected) {
					t.Errorf("%s %s by %q: want %v, got %v", role, name, proof, expected, got)
				}
				if s.Speaks(name) != p.Host || s.Speaks("h2") {
					t.Errorf("%s %s by %q: want it to speak only for its own host, if for any", role, name, proof)
				}
			}
		}
	}
}
