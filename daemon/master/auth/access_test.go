// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/trust"
)

// Who no one has said anything of may nothing, and so may what is read from a text: its grants are not in it.
func TestNoOne(t *testing.T) {
	who := auth.Of(t.Context())
	if who.Known() || who.Check(rights.Right{Verb: rights.Read}) == nil || who.Sees(model.KindNetwork(), "default:n") || who.Text() != "" {
		t.Errorf("no one may something: %+v", who)
	}
	if anyone := auth.Anyone(); anyone.Check(rights.Right{Verb: rights.Manage}) != nil || anyone.Host("h1", "host") != nil {
		t.Error("anyone may not everything")
	}
}

// A subject that one netmaster writes is read by another as it was.
func FuzzParse(f *testing.F) {
	for _, s := range []auth.Subject{{Identity: trust.Identity{Role: trust.User, Name: "ann"}, Proof: auth.BySession, Token: "abc"}, {Identity: trust.Identity{Role: trust.Agent, Name: "h1"}, Proof: auth.ByCertificate}} {
		f.Add(s.Text())
	}
	f.Add("user ann nothing")
	f.Add("user  session x")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := auth.Parse(text)
		if err != nil {
			return
		}
		again, err := auth.Parse(s.Text())
		if err != nil || again.Identity != s.Identity || again.Proof != s.Proof || again.Token != s.Token || len(s.Grants) > 0 || s.Anyone {
			t.Errorf("%q: %+v comes back as %+v, %v", text, s, again, err)
		}
	})
}
