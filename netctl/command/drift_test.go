// SPDX-License-Identifier: Apache-2.0

package command

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// Differences that agents cannot repair are listed with the remedy, without the suggestion of --repair.
func TestDriftBeyondRepair(t *testing.T) {
	now := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"host":"h1","now":[` + now + `],"found":[]}`))
	}))
	defer s.Close()
	const stuck, other = `{"kind":"port","what":"removed: interface","remedy":"recreate the pod"}`, `{"kind":"flow","what":"added"}`
	for _, r := range []struct{ now, out, err string }{
		{other, "added", "differences in the switches: 1; netctl drift --repair repairs them"},
		{stuck + "," + other, "removed: interface; recreate the pod", "differences in the switches: 2; netctl drift --repair cannot repair 1 of them"},
	} {
		now = r.now
		if got := netctl(t, t.Context(), s.URL, "drift", "h1"); got.code != 10 || !strings.Contains(got.out, r.out) || !strings.Contains(got.err, r.err) {
			t.Errorf("%s: want %q and %q, got %q and %q, exit %d", r.now, r.out, r.err, got.out, got.err, got.code)
		}
	}
}

// A table without differences says so beside itself; what programs read stays as it is.
func TestDriftOfNothing(t *testing.T) {
	found := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/api/v1/nodes" {
			_, _ = w.Write([]byte(`[{"role":"` + string(model.RoleAgent) + `","name":"h1"}]`))
			return
		}
		_, _ = w.Write([]byte(`{"host":"h1","now":[],"found":[` + found + `]}`))
	}))
	defer s.Close()
	for _, r := range []struct{ line, found, out, err string }{
		{"drift", "", "", "nothing differs\n"},
		{"drift h1", "", "", "nothing differs\n"},
		{"drift -o jsonpath={[0].host}", "", "h1\n", ""},
		{"drift", `{"kind":"flow","what":"added"}`, "Host  When   At  Kind  Owner  What\n----  ----   --  ----  -----  ----\nh1    found      flow  none   added\n", "nothing differs now\n"},
	} {
		found = r.found
		if got := netctl(t, t.Context(), s.URL, strings.Fields(r.line)...); got.code != 0 || got.out != r.out || got.err != r.err {
			t.Errorf("netctl %s: want %q and %q, got %q and %q, exit %d", r.line, r.out, r.err, got.out, got.err, got.code)
		}
	}
}
