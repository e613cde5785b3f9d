// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// With -o json errors are JSON too, one line with what an error has; with the original's --json they are the original's.
func TestFailure(t *testing.T) {
	master := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		e := model.Errorf(model.CodeNotFound, "from", "nothing is called %q", "absent").Try("look for it")
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(e.Problem())
	}))
	defer master.Close()
	for line, want := range map[string]term.Failure{
		"why absent web -o json":      {Code: model.CodeNotFound, Field: "from", Message: `nothing is called "absent"`, Remedy: "look for it", Exit: 3},
		"why absent -o json":          {Code: model.CodeInvalid, Message: "expected FROM TO [PROTOCOL] [PORT], got 1 arguments", Exit: 1},
		"network ls --absent -o json": {Code: model.CodeInvalid, Message: "unknown flag: --absent", Exit: 1},
	} {
		r := netctl(t, t.Context(), master.URL, strings.Fields(line)...)
		var got term.Failure
		if err := json.Unmarshal([]byte(r.err), &got); err != nil || got != want || r.code != want.Exit || r.out != "" {
			t.Errorf("%s: want %+v, got %q and %q (%d, %v)", line, want, r.out, r.err, r.code, err)
		}
	}
	if r := netctl(t, t.Context(), master.URL, "why", "absent", "web", "--json"); !strings.HasPrefix(r.err, "error: ") {
		t.Errorf("want an error for people, got %q", r.err)
	}
}
