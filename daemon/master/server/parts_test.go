// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/server/nodes"
)

// A netmaster does not start with a described route that no part serves, or that two parts serve.
func TestPartsServeEachRoute(t *testing.T) {
	members := &nodes.Nodes{}
	twice := part.Serves(members.Register, func(r *rest.Router) { r.GET("/version", nil) })
	_, err := server.New(server.Config{Answered: &atomic.Uint64{}, Log: slog.New(slog.DiscardHandler)}, twice)
	if err == nil {
		t.Fatal("got a server, want a refusal")
	}
	for _, want := range []string{"GET /version: got 2 handlers, want 1", "GET /api/v1/why: got no handler, want one: a part adds it"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	if strings.Contains(err.Error(), "GET /api/v1/nodes:") {
		t.Errorf("got %v, want nothing about a route that one part serves", err)
	}
}
