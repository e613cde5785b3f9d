// SPDX-License-Identifier: Apache-2.0

package client

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/contiv/contiv/api/model"
)

func TestBases(t *testing.T) {
	for list, want := range map[string]string{
		"http://a:9999": "http://a:9999", "https://a , http://b:1": "https://a,http://b:1",
		"": "", "a:9999": "", "http://a,": "", "http://a,ftp://b": "",
	} {
		got, err := Bases(list)
		if got != want || (err == nil) != (want != "") || err != nil && !IsCode(err, model.CodeInvalid) {
			t.Errorf("%q: want %q, got %q, %v", list, want, got, err)
		}
	}
}

// An unreachable netmaster is skipped, for reads, writes and watches.
func TestSeveralBases(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/watch" {
			_, _ = w.Write([]byte("data: {\"type\":\"sync\",\"revision\":4}\n\n"))
			return
		}
		_, _ = w.Write([]byte("[]"))
	}))
	defer s.Close()
	c := &Client{Base: gone.URL + "," + s.URL}
	if _, err := c.Networks().List(t.Context()); err != nil {
		t.Errorf("list: %v", err)
	}
	for e, err := range c.Watch(t.Context(), nil) {
		if err != nil || e.Revision != 4 {
			t.Errorf("watch: got %+v, %v", e, err)
		}
		break
	}
}
