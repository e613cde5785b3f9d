// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

const lags = "the store has confirmed nothing since noon"

// sometimes is a netmaster that may know less than the store has as long as old is set.
func sometimes(t *testing.T) (m *mastertest.Master, old *atomic.Bool) {
	t.Helper()
	old = new(atomic.Bool)
	m = mastertest.Start(t, mastertest.Options{Stale: func() string {
		if old.Load() {
			return lags
		}
		return ""
	}})
	mastertest.Put(t, m.Networks(), network("n", "10.1.1.0/24"))
	return m, old
}

// A netmaster that may know less than the store has marks each answer about the cluster, and refuses clients that can ask another netmaster. Its answers about
// itself stay unmarked.
func TestStaleReads(t *testing.T) {
	m, old := sometimes(t)
	for _, row := range []struct {
		path    string
		old     bool
		current bool
		status  int
		marked  bool
	}{
		{"/api/v1/networks/", false, true, http.StatusOK, false},
		{"/api/v1/networks/", true, false, http.StatusOK, true},
		{"/api/v1/networks/", true, true, http.StatusServiceUnavailable, true},
		{"/api/v1/inspect/networks/default:n/", true, false, http.StatusOK, true},
		{"/api/v1/nodes", true, true, http.StatusServiceUnavailable, true},
		{"/api/v1/nodes/self", true, true, http.StatusOK, false},
		{"/version", true, true, http.StatusOK, false},
	} {
		old.Store(row.old)
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.URL+row.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Accept", "application/json")
		if row.current {
			q.Header.Set(model.CurrentHeader, "1")
		}
		answer, err := m.Client.HTTP.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if got := answer.Header.Get(model.StaleHeader); answer.StatusCode != row.status || (got == lags) != row.marked || got != "" && !row.marked {
			t.Errorf("%s, old %t, current %t: want %d, marked %t, got %d, %q", row.path, row.old, row.current, row.status, row.marked, answer.StatusCode, got)
		}
	}
	old.Store(true)
	if _, err := m.Networks().Put(t.Context(), network("o", "10.1.2.0/24")); err != nil {
		t.Errorf("a change goes to the leader, whatever is known here: got %v", err)
	}
}

// A stream of a netmaster that comes to know less ends, and the client hears that the next one may be old.
func TestStaleStream(t *testing.T) {
	m, old := sometimes(t)
	heard := make(chan string, 10)
	c := *m.Client
	c.Stale = func(_, reason string) { heard <- reason }
	syncs, ends := 0, 0
	for e, err := range c.Watch(t.Context(), []*model.Kind{model.KindNetwork()}) {
		switch {
		case err != nil:
			ends++
		case e.Type == model.EventSync:
			if syncs++; syncs == 1 {
				old.Store(true)
			}
		}
		if syncs == 2 {
			break
		}
	}
	if got := <-heard; got != lags || ends == 0 {
		t.Errorf("want the stream ended and the reason of the next one, got %q, %d ends", got, ends)
	}
}

// A client of several netmasters asks the one that knows what the store has, and makes do with another only when there is none.
func TestCurrentMaster(t *testing.T) {
	m, old := sometimes(t)
	n, _ := sometimes(t)
	mastertest.Put(t, n.Networks(), network("newer", "10.1.2.0/24"))
	var heard []string
	c := client.Client{Base: m.URL + "," + n.URL, HTTP: m.Client.HTTP, Stale: func(base, reason string) { heard = append(heard, base+" "+reason) }}
	names := func() string {
		list, err := c.Networks().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, one := range list {
			out = append(out, one.NetworkName)
		}
		return strings.Join(out, " ")
	}
	if got := names(); got != "n" || len(heard) > 0 {
		t.Errorf("both are current: want the first one's, got %s, %v", got, heard)
	}
	old.Store(true)
	if got := names(); got != "n newer" || len(heard) > 0 {
		t.Errorf("the first may be old: want the second one's, got %s, %v", got, heard)
	}
	n.Away()
	if got := names(); got != "n" || len(heard) == 0 || heard[0] != m.URL+" "+lags {
		t.Errorf("the second does not answer: want the first one's, and that it may be old, got %s, %v", got, heard)
	}
}
