// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// counting serves pages of one network each: 1, 2, 3 and so on up to last; it refuses the page broken.
func counting(t *testing.T, last, broken int) (*Client, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked.Add(1)
		n := 1
		_, _ = fmt.Sscan(q.URL.Query().Get("continue"), &n)
		if n == broken {
			http.Error(w, "broken", http.StatusInternalServerError)
			return
		}
		w.Header().Set(model.RevisionHeader, "1")
		if n < last {
			w.Header().Set(model.ContinueHeader, fmt.Sprint(n+1))
		}
		fmt.Fprintf(w, `[{"networkName":"n%d"}]`, n)
	}))
	t.Cleanup(s.Close)
	return &Client{Base: s.URL}, &asked
}

func TestPages(t *testing.T) {
	for _, row := range []struct {
		name                 string
		last, broken, enough int // how many pages are checked
		want                 string
		most                 int32 // requests
	}{
		{"one", 1, 0, 9, "n1", 1},
		{"several", 3, 0, 9, "n1 n2 n3", 3},
		{"enough of them", 9, 0, 2, "n1 n2", 4}, // one page is ready, and at most one is being requested
		{"an error ends them", 9, 3, 9, "n1 n2 error", 3},
	} {
		c, asked := counting(t, row.last, row.broken)
		pages := c.Networks().Pages(t.Context(), Limit(1))
		for range 2 { // the sequence can be read again
			var seen []string
			for page, err := range pages {
				if err != nil {
					seen = append(seen, "error")
					continue
				}
				for _, n := range page {
					seen = append(seen, n.NetworkName)
				}
				if len(seen) == row.enough {
					break
				}
			}
			if got := strings.Join(seen, " "); got != row.want || asked.Swap(0) > row.most {
				t.Errorf("%s: want %s with at most %d requests, got %s with %d", row.name, row.want, row.most, got, asked.Load())
			}
		}
	}
}

// A netmaster that does not know selectors answers with everything; the client reports that.
func TestSelectorsOfEarlierNetmasters(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[{"networkName":"n"}]`) }))
	defer s.Close()
	c := &Client{Base: s.URL}
	if list, err := c.Networks().List(t.Context(), Limit(5)); err != nil || len(list) != 1 {
		t.Errorf("pages: want all in one, got %d, %v", len(list), err)
	}
	if _, err := c.Networks().List(t.Context(), Fields("tenantName=blue")); !IsCode(err, model.CodeUnsupported) {
		t.Errorf("selectors: want a refusal, got %v", err)
	}
}
