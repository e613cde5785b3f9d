// SPDX-License-Identifier: Apache-2.0

package alert

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
)

func TestSettings_Check(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.crt")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		s    Settings
		want string // part of the error
	}{
		{"nothing", Settings{}, ""},
		{"everything", Settings{Receivers: []string{"https://a.example:9093", "https://b.example/am/"}, TokenFile: "t", Labels: []string{"cluster=prod", "site=a b"}}, ""},
		{"plain HTTP", Settings{Receivers: []string{"http://a.example:9093"}}, ""},
		{"a token over plain HTTP", Settings{Receivers: []string{"http://a.example:9093"}, TokenFile: "t"}, "want https, because --alert-token-file is set"},
		{"no URL", Settings{Receivers: []string{"a.example:9093"}}, "--alert-webhook a.example:9093: want the URL"},
		{"another scheme", Settings{Receivers: []string{"ftp://a.example"}}, "want the URL"},
		{"a query", Settings{Receivers: []string{"http://a.example/?x=1"}}, "want the URL"},
		{"a password", Settings{Receivers: []string{"https://u:secret@a.example"}}, "https://u:xxxxx@a.example: want a URL without a user"},
		{"a label without a value", Settings{Labels: []string{"cluster"}}, "--alert-labels cluster: want NAME=VALUE"},
		{"a label's name", Settings{Labels: []string{"a-b=c"}}, "want NAME=VALUE"},
		{"a label of alerts", Settings{Labels: []string{"code=c"}}, "alerts have a label code already"},
		{"no file", Settings{CA: filepath.Join(dir, "none")}, "--alert-ca-file: open "},
		{"no certificate", Settings{CA: empty}, "got no certificate, want some in PEM"},
	} {
		err := row.s.Check()
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %q", row.name, err, row.want)
		}
	}
}

// Alerts are sent below the URL of an Alertmanager, or to the URL itself if that is where it accepts them, once to each.
func TestSettings_Open(t *testing.T) {
	s := Settings{Receivers: []string{"http://a.example", "http://a.example/api/v2/alerts/", "http://b.example/am/"}}
	c, err := s.Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range c.Receivers {
		got = append(got, r.URL)
	}
	if want := "http://a.example/api/v2/alerts http://b.example/am/api/v2/alerts"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A receiver's token is read for each request, and reaches only the receiver.
func TestReceiver_Token(t *testing.T) {
	var token string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request was redirected") }))
	defer elsewhere.Close()
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if token = q.Header.Get("Authorization"); token == "Bearer moved" {
			http.Redirect(w, q, elsewhere.URL, http.StatusTemporaryRedirect)
		}
	}))
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "token")
	r := NewReceiver(srv.URL, file, srv.Client().Transport)
	for _, row := range []struct{ text, want string }{{"one\n", ""}, {"two", ""}, {"", "want one with a token"}, {"a\nb", "got 2 lines"}, {"moved", "307"}} {
		if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		token = ""
		err := r.Send(t.Context(), []*model.Alert{})
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: got %v, want %q", row.text, err, row.want)
		}
		if err == nil && token != "Bearer "+strings.TrimSpace(row.text) {
			t.Errorf("%q: got %q", row.text, token)
		}
	}
}
