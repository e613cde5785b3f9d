// SPDX-License-Identifier: Apache-2.0

package trust_test

import (
	"net/url"
	"testing"

	"github.com/contiv/contiv/trust"
)

func TestIdentity(t *testing.T) {
	for _, i := range []trust.Identity{{Role: trust.Agent, Name: "h1"}, {Role: trust.Master, Name: "h1.example.org"}, {Role: trust.User, Name: "ann@corp"}, {Role: trust.Monitor, Name: "50%"}} {
		u, err := url.Parse(i.String())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := trust.Parse(u); err != nil || got != i {
			t.Errorf("%s: want %v, got %v, %v", u, i, got, err)
		}
	}
	for _, text := range []string{"", "https://contiv/agent/h1", "spiffe://other/agent/h1", "spiffe://contiv/root/h1", "spiffe://contiv/agent", "spiffe://contiv/agent/", "spiffe://contiv/agent/h1/x",
		"spiffe://contiv/agent/h%201", "spiffe://contiv/agent/h1?x=1", "spiffe://u@contiv/agent/h1", "spiffe://contiv/agent/a%2fb"} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := trust.Parse(u); err == nil {
			t.Errorf("%q: want a refusal, got %v", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("spiffe://contiv/agent/h1")
	f.Add("spiffe://contiv/user/a%25b")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		i, err := trust.Parse(u)
		if err != nil {
			return
		}
		if again, err := trust.Parse(i.URI()); err != nil || again != i {
			t.Errorf("%q: %v comes back as %v, %v", text, i, again, err)
		}
	})
}
