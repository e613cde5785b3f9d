// SPDX-License-Identifier: Apache-2.0

package command

import (
	"net/url"
	"testing"
)

// The result of a browser counts only if it is of this login.
func TestReadCallback(t *testing.T) {
	for text, want := range map[string]returned{
		"/callback?code=c&state=s":                                       {"c", ""},
		"/callback?error=access_denied&state=s":                          {"", "access_denied"},
		"/callback?error=access_denied&error_description=no+one&state=s": {"", "no one"},
		"/callback?code=c&state=t":                                       {},
		"/callback?code=c":                                               {},
		"/callback?state=s":                                              {},
		"/favicon.ico?code=c&state=s":                                    {},
		"/callback?code=c&state=s&x=%zz":                                 {},
	} {
		at, err := url.ParseRequestURI(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := readCallback(at, "s"); got != want || ok != (want != returned{}) {
			t.Errorf("%s: want %+v, got %+v, %v", text, want, got, ok)
		}
	}
}

// Of all clients of netctl's port, only one that knows the state ends the wait.
func FuzzReadCallback(f *testing.F) {
	f.Add("/callback?code=c&state=s")
	f.Add("/callback?error=e&state=%73")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := url.ParseRequestURI(text)
		if err != nil {
			return
		}
		if back, ok := readCallback(at, "s"); ok != (back != returned{}) || ok && at.Query().Get("state") != "s" {
			t.Errorf("%q: %+v, %v", text, back, ok)
		}
	})
}
