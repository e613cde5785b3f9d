// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// A script passes secrets by the standard input.
func TestPasswordStdin(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		text, _ := io.ReadAll(q.Body)
		var p model.PasswordRequest
		_ = json.Unmarshal(text, &p)
		got = append(got, p.Username+"/"+p.Old+"/"+p.Password)
		_, _ = w.Write([]byte("{}"))
	}))
	defer server.Close()
	for _, row := range []struct {
		line, in string
		code     int
		want     string // user, old and new password; of a refusal a part of its text
	}{
		{"auth password ann --password-stdin", "a new password\n", 0, "ann//a new password"},
		{"auth password ann --password-stdin", "without an end", 0, "ann//without an end"},
		{"auth password --password-stdin", "the old one\nthe new one\r\n", 0, "/the old one/the new one"},
		{"auth ldap-password --password-stdin", "to search\n", 0, "//to search"},
		{"auth password ann --password-stdin", "", 1, "standard input has no line"},
		{"auth password ann --password-stdin", "\n", 1, "standard input has no line"},
		{"auth password ann --password-stdin", strings.Repeat("x", 5000), 1, "more than"},
		{"auth password --password-stdin", "only the old one\n", 1, "standard input has no line"},
		{"auth password ann", "not read\n", 4, "see --help for the flag"},
	} {
		got = nil
		var out, errs strings.Builder
		f := &Factory{Streams: term.Streams{In: strings.NewReader(row.in), Out: &out, Err: &errs, Now: nil, ErrTTY: true,
			Secret: func() (string, error) { return "", term.ErrNoTerminal }}, Home: t.TempDir(),
			Getenv: func(name string) string { return map[string]string{"NETMASTER": server.URL}[name] }}
		code := Run(t.Context(), f, strings.Fields(row.line))
		said := strings.Join(got, ", ")
		if code != 0 {
			said = errs.String()
		}
		if code != row.code || !strings.Contains(said, row.want) || code != 0 && len(got) > 0 {
			t.Errorf("%s with %.20q: want exit %d and %q, got %d, %q and requests %q", row.line, row.in, row.code, row.want, code, said, got)
		}
	}
}
