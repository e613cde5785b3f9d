// SPDX-License-Identifier: Apache-2.0

package desired

import "github.com/contiv/contiv/ofnet"

// SetUnsupported sets the abilities that the switch's datapath lacks.
func (e *Engine) SetUnsupported(lacks ofnet.Abilities) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unsupported != lacks {
		e.unsupported = lacks
		e.update()
	}
}

// Unsupported returns the abilities that the switch's datapath lacks.
func (e *Engine) Unsupported() ofnet.Abilities {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.unsupported
}
