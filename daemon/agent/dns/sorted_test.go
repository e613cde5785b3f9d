// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/daemon/agent/names"
)

// The addresses of a group are ordered once, again when a member has changed, and not when something else changes.
func TestSorted(t *testing.T) {
	z := testZone()
	list := func() *netip.Addr {
		v := z.view()
		addrs := z.sorted.addresses(names.EndpointsInGroup.In(v.Endpoints, names.Of("blue", "web")))
		return &addrs[0]
	}
	first := list()
	z.Endpoint("green:n:c9", member("green", "c9", "", "web", "10.1.0.9"))
	if list() != first {
		t.Error("after a change in another tenant: want the same list, got another")
	}
	z.Endpoint("blue:n:c2", member("blue", "c2", "web-2", "web", "10.1.0.0"))
	if got := list(); got == first || *got != addr("10.1.0.0") {
		t.Errorf("after a change of a member: want another list from 10.1.0.0, got %v", *got)
	}
}

// Lists of members that have changed do not pile up.
func TestSorted_Bounded(t *testing.T) {
	z := testZone()
	for i := range 3 * maxSorted {
		z.Endpoint("blue:n:c2", member("blue", "c2", "web-2", "web", fmt.Sprintf("10.1.%d.%d", i/250, i%250)))
		ask(t, z, 1, "web", "A")
	}
	if n := len(z.sorted.lists); n > maxSorted {
		t.Errorf("lists: got %d, want at most %d", n, maxSorted)
	}
}
