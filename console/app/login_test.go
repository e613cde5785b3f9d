// SPDX-License-Identifier: Apache-2.0

package app

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Behind the auth proxy the console is who netctl login has made it, and trusts certificates as netctl does.
func TestLogin(t *testing.T) {
	master := mastertest.Start(t, mastertest.Options{})
	to, err := url.Parse(master.URL)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	pass.FlushInterval = -1
	proxy := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("X-Auth-Token") != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		pass.ServeHTTP(w, q)
	}))
	defer proxy.Close()
	home := t.TempDir()
	login := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(home, ".netctl"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".netctl", "config.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, login, insecure, url string
		wants                      string // in the output, or the error
	}{
		{"no one is logged in", "", "true", proxy.URL, "Access denied"},
		{"an unknown certificate", `{"token":"secret"}`, "", proxy.URL, "certificate"},
		{"logged in", `{"token":"secret"}`, "true", proxy.URL, "default"},
		{"a token over http", `{"token":"secret"}`, "", master.URL, "may only be sent over https"},
		{"a broken login", `{`, "", master.URL, "delete the file and log in again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.login != "" {
				login(tt.login)
			}
			var out strings.Builder
			cmd := NewCommand(strings.NewReader(""), &out, func(name string) string {
				return map[string]string{"HOME": home, "INSECURE": tt.insecure}[name]
			}, func() string { return "" })
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			cmd.SetArgs([]string{"--netmaster", tt.url, "--once", "--screen", "tenants"})
			text := ""
			if err := cmd.ExecuteContext(t.Context()); err != nil {
				text = err.Error()
			}
			if !strings.Contains(text+out.String(), tt.wants) {
				t.Errorf("want %q, got %s\n%s", tt.wants, text, out.String())
			}
		})
	}
}
