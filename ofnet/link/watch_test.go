// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/link"
)

// The kernel says when others touch what is kept, and when addresses come and go.
func TestWatch(t *testing.T) {
	h, ns := open(t)
	ns.IP("link", "add", "nic0", "type", "veth", "peer", "name", "nic1")
	if err := h.SetGuard(&link.Guard{}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.EnableForwarding(false); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	first := h.Changed()
	go func() { done <- h.Watch(ctx) }()
	rings := func(what string, bell <-chan struct{}) {
		t.Helper()
		limit := time.NewTimer(10 * time.Second)
		defer limit.Stop()
		select {
		case <-bell:
		case <-limit.C:
			t.Fatalf("%s: want an event, got none", what)
		}
	}
	rings("the beginning", first)
	for _, row := range []struct {
		command string
		bell    func() <-chan struct{}
	}{
		{"nft flush ruleset", h.Changed},
		{"ip link set nic0 arp off", h.Changed},
		{"sysctl -w net.ipv4.ip_forward=0", h.Changed},
		{"ip addr add 192.0.2.1/24 dev nic0", h.Moved},
		{"ip addr del 192.0.2.1/24 dev nic0", h.Moved},
	} {
		bell := row.bell()
		if out, err := ns.Exec(strings.Fields(row.command)...); err != nil {
			t.Fatal(out, err)
		}
		rings(row.command, bell)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Watch after cancel: want nil, got %v", err)
	}
}
