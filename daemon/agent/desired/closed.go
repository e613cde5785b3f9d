// SPDX-License-Identifier: Apache-2.0

package desired

import "github.com/contiv/contiv/ofnet"

// SetClosed sets what the switch closes to endpoints, nil for nothing. The caller must not change c afterwards.
func (e *Engine) SetClosed(c *ofnet.Closed) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed.Equal(c) {
		e.closed = c
		e.update()
	}
}
