package desired

import "github.com/contiv/contiv/ofnet"

// SetClosed says what the switch closes to endpoints, nil for nothing. It must not be changed any more.
func (e *Engine) SetClosed(c *ofnet.Closed) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed.Equal(c) {
		e.closed = c
		e.update()
	}
}
