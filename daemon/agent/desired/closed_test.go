// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// The bridge takes its first state for the whole, so what is closed is part of it: flows of the agent's last life stay.
func TestFirstUpdateCloses(t *testing.T) {
	closed := &ofnet.Closed{Own: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}
	w := begin(t, func(e *Engine) {
		e.following.Closed = func() *ofnet.Closed {
			if e.Global().FwdMode != record.FwdRouting { // all records are known
				t.Errorf("when asked what is closed: want the records, got %+v", e.Global())
			}
			return closed
		}
	}, record.Global{FwdMode: record.FwdRouting})
	w.b.mu.Lock()
	updates, first := w.b.updates, w.b.state.Closed
	w.b.mu.Unlock()
	if updates != 1 || !first.Equal(closed) {
		t.Errorf("when ready: want one update, with what is closed, got %d, with %+v", updates, first)
	}
	w.e.SetClosed(nil)
	w.reach("opening", func(s *ofnet.State) bool { return s.Closed == nil })
}
