// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// A token, a password or a change is never redirected to another host or from https to http; a read without a token is.
func TestRedirects(t *testing.T) {
	var seen []string
	note := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		seen = append(seen, q.Method+" "+q.Header.Get("X-Auth-Token"))
		_, _ = w.Write([]byte("[]"))
	})
	plain, other := httptest.NewServer(note), httptest.NewTLSServer(note)
	defer plain.Close()
	defer other.Close()
	to := ""
	https := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.URL.Path, "/here") {
			note(w, q)
			return
		}
		http.Redirect(w, q, to, http.StatusTemporaryRedirect)
	}))
	defer https.Close()
	http1 := httptest.NewServer(https.Config.Handler)
	defer http1.Close()
	list := func(c *Client) error { _, err := c.Networks().List(context.Background()); return err }
	put := func(c *Client) error {
		_, err := c.Tenants().Put(context.Background(), &model.Tenant{TenantName: "t"})
		return err
	}
	login := func(c *Client) error {
		_, _, err := c.Login(context.Background(), "ann", "hunter2")
		return err
	}
	for _, test := range []struct {
		name, base, to, token string
		do                    func(*Client) error
		want                  string // what arrives; "": nothing, and the client returns the reason
	}{
		{"a token to another host", https.URL, other.URL + "/x", "secret", list, ""},
		{"a token down to http", https.URL, plain.URL + "/x", "secret", list, ""},
		{"a token on the same host", https.URL, "/here/x", "secret", list, "GET secret"},
		{"a password to another host", https.URL, other.URL + "/x", "", login, ""},
		{"a password down to http", https.URL, plain.URL + "/x", "", login, ""},
		{"a change to another host", http1.URL, plain.URL + "/x", "", put, ""},
		{"a read down to http", https.URL, plain.URL + "/x", "", list, ""},
		{"a read to another host", http1.URL, plain.URL + "/x", "", list, "GET "},
		{"a read up to https", http1.URL, other.URL + "/x", "", list, "GET "},
		{"in circles", http1.URL, "/x", "", list, ""},
	} {
		seen, to = nil, test.to
		err := test.do(&Client{Base: test.base, Token: test.token, HTTP: other.Client()})
		if got := strings.Join(seen, ","); got != test.want {
			t.Errorf("%s: want %q to arrive, got %q", test.name, test.want, got)
		}
		if refused := IsCode(err, model.CodeInvalid) && strings.Contains(err.Error(), "--netmaster"); refused != (test.want == "") {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
}
