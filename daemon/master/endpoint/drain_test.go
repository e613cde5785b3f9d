// SPDX-License-Identifier: Apache-2.0

package endpoint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/enginetest"
)

// A host that is drained gets no new endpoint, and keeps what it has; it takes endpoints again when nobody drains it any longer.
func TestDrain(t *testing.T) {
	now := time.Now()
	w := enginetest.Start(t, enginetest.Options{Now: func() time.Time { return now }})
	w.Must(t, blue)
	create := func(name, host string) error {
		_, _, err := w.Service.Create(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "blue",
			ConfigEP: model.EndpointConfigRequest{Container: name, Host: host}})
		return err
	}
	refused := func(name, host string) {
		t.Helper()
		if err := create(name, host); err == nil || !strings.Contains(err.Error(), "contiv leave --drain runs there") {
			t.Errorf("%s on %s: want it refused with the reason, got %v", name, host, err)
		}
	}
	accepted := func(name, host string) {
		t.Helper()
		if err := create(name, host); err != nil {
			t.Errorf("%s on %s: %v", name, host, err)
		}
	}
	accepted("c1", "h1")
	accepted("c9", "h9")
	w.Service.Drain("h1")
	refused("c2", "h1")
	accepted("c1", "h1") // a repeated request
	refused("c9", "h1")  // one that moves
	accepted("c3", "h2")
	now = now.Add(endpoint.DrainLease - time.Second)
	w.Service.Drain("h1")
	now = now.Add(endpoint.DrainLease - time.Second)
	refused("c2", "h1")
	now = now.Add(2 * time.Second)
	accepted("c2", "h1")
	w.Service.Drain("h1")
	refused("c4", "h1")
	w.Service.EndDrain("h1")
	accepted("c4", "h1")
}
