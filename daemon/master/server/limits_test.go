// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"testing"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Expensive routes have a bound that the server declares, and so have streams.
func TestRoutesAreBounded(t *testing.T) {
	want := map[string]string{"/api/v1/watch": "watches", "/api/v1/capture": "captures", "/api/v1/bundle": "bundles", "/api/v1/observe": "captures", "/api/v1/why": "traces", "/api/v1/counters": "traces", "/api/v1/doctor": "traces", "/api/v1/matrix/:namespace": "traces", "/api/v1/agents/:host/:what": "traces", "/api/v1/logs/:host": "traces", channel.Path: "agents"}
	seen := map[string]bool{}
	for _, r := range mastertest.Start(t, mastertest.Options{}).Routes {
		seen[r.Path] = true
		if r.Access.Open != nil { // TestStrangers has those
			continue
		}
		if r.Bound != want[r.Path] {
			t.Errorf("%s %s: want the bound %q, got %q", r.Method, r.Path, want[r.Path], r.Bound)
		}
		if stream := r.Path == "/api/v1/watch" || r.Path == "/api/v1/capture" || r.Path == "/api/v1/bundle" || r.Path == "/api/v1/observe" || r.Path == channel.Path; r.Stream != stream {
			t.Errorf("%s %s: want stream %t, got %t", r.Method, r.Path, stream, r.Stream)
		}
		if long := r.Path == "/api/v1/apply"; (r.MaxBody != 0) != long {
			t.Errorf("%s %s: longest body %d bytes", r.Method, r.Path, r.MaxBody)
		}
	}
	for path := range want {
		if !seen[path] {
			t.Errorf("there is no route %s", path)
		}
	}
}
