// SPDX-License-Identifier: Apache-2.0

package flow_test

import (
	"testing"
	"unsafe"

	"github.com/contiv/contiv/ofnet/flow"
)

// Equal lists have one copy of what they say, and are no others than before.
func TestShared(t *testing.T) {
	list := func(port uint32) flow.Actions { return flow.Do(flow.Output(port)) }
	a, b, c := list(1).Shared(), list(1).Shared(), list(2).Shared()
	if a != list(1) || c != list(2) {
		t.Errorf("want the same actions, got %s and %s", a, c)
	}
	if unsafe.StringData(a.Wire()) != unsafe.StringData(b.Wire()) {
		t.Error("want one copy of equal lists, got two")
	}
	if (flow.Actions{}).Shared() != (flow.Actions{}) {
		t.Error("want what drops to drop")
	}
}
