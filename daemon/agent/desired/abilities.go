package desired

import "github.com/contiv/contiv/ofnet"

// SetUnsupported says what the switch's datapath cannot do.
func (e *Engine) SetUnsupported(lacks ofnet.Abilities) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unsupported != lacks {
		e.unsupported = lacks
		e.update()
	}
}

// Unsupported is what the switch's datapath cannot do, as last said.
func (e *Engine) Unsupported() ofnet.Abilities {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.unsupported
}
