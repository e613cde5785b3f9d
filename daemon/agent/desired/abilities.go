package desired

import "github.com/contiv/contiv/ofnet"

// SetLacks says what the switch's datapath cannot do.
func (e *Engine) SetLacks(lacks ofnet.Abilities) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lacks != lacks {
		e.lacks = lacks
		e.update()
	}
}

// Lacks is what the switch's datapath cannot do, as last said.
func (e *Engine) Lacks() ofnet.Abilities {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.lacks
}
