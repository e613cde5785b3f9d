// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

func claimsOf(tb testing.TB, text string) map[string]json.RawMessage {
	tb.Helper()
	var out map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		tb.Fatal(err)
	}
	return out
}

func configuration(user string) *model.OidcConfiguration {
	return &model.OidcConfiguration{Issuer: "https://id.example.org", ClientId: "contiv", UsernameClaim: user, GroupsClaim: "groups"}
}

// Claims give a user's name and groups; missing or malformed claims are refused with the claim and the remedy.
func TestClaimed(t *testing.T) {
	for _, row := range []struct{ name, user, claims, want, wrong string }{
		{"all", "email", `{"email":"ann@x","email_verified":true,"groups":["net","ops"]}`, "ann@x net,ops", ""},
		{"verified as a text", "email", `{"email":"ann@x","email_verified":"true","groups":["net"]}`, "ann@x net", ""},
		{"nothing said of it", "email", `{"email":"ann@x","groups":["net"]}`, "ann@x net", ""},
		{"not verified", "email", `{"email":"ann@x","email_verified":false,"groups":["net"]}`, "", "has not verified"},
		{"not verified, as another claim", "sub", `{"sub":"7","email_verified":false,"groups":["net"]}`, "7 net", ""},
		{"one group as a text", "sub", `{"sub":"7","groups":"net"}`, "7 net", ""},
		{"no groups", "sub", `{"sub":"7","groups":[]}`, "7 ", ""},
		{"groups that are none", "sub", `{"sub":"7","groups":["","net"]}`, "7 net", ""},
		{"no claim of groups", "sub", `{"sub":"7"}`, "", `no claim "groups"`},
		{"null", "sub", `{"sub":"7","groups":null}`, "", `no claim "groups"`},
		{"groups of another form", "sub", `{"sub":"7","groups":[{"name":"net"}]}`, "", `no claim "groups"`},
		{"no user", "sub", `{"groups":["net"]}`, "", `no claim "sub"`},
		{"a user of another form", "sub", `{"sub":["ann"],"groups":["net"]}`, "", `no claim "sub"`},
	} {
		who, err := claimed(claimsOf(t, row.claims), configuration(row.user))
		got := ""
		if err == nil {
			got = who.Name + " " + strings.Join(who.Groups, ",")
		}
		if got != row.want || (row.wrong == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), row.wrong) {
			t.Errorf("%s: want %q or %q, got %q, %v", row.name, row.want, row.wrong, got, err)
		}
	}
}

// Any claims give either a name and groups within their bounds, or an error.
func FuzzClaimed(f *testing.F) {
	f.Add([]byte(`{"email":"ann@x","email_verified":true,"groups":["net"]}`))
	f.Add([]byte(`{"email":"ann@x","groups":"net"}`))
	f.Add([]byte(`{"email":{},"groups":[1]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var claims map[string]json.RawMessage
		if json.Unmarshal(text, &claims) != nil {
			return
		}
		who, err := claimed(claims, configuration("email"))
		wrong := len(who.Groups) > maxGroups || slices.ContainsFunc(who.Groups, func(g string) bool { return g == "" || len(g) > longGroup })
		if wrong || (err == nil) != (who.Name != "") || err != nil && who.Groups != nil {
			t.Errorf("%s: %+v, %v", text, who, err)
		}
	})
}
