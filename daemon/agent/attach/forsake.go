package attach

import (
	"context"
	"fmt"
)

// Forsake detaches an interface that its runtime does not know, as Detach does; the history keeps why. One that a request is at work on
// is left, and so is one whose far end is in a namespace of its own, where a container may use it: done is false.
func (e *Engine) Forsake(ctx context.Context, container, ifname, why string) (done bool, err error) {
	unlock, held := e.locks.take(EndpointID(container, ifname))
	if held != nil {
		return false, nil
	}
	defer unlock()
	for _, a := range e.find(container, ifname) {
		if a.Port.Name == "" {
			continue
		}
		if e.locks.isBusy(a.Port.Name) {
			return false, nil
		}
		if apart, err := e.Links.Apart(a.Port.Name); err != nil || apart {
			if err != nil {
				err = fmt.Errorf("forsake %s: %w", a.StateID, err)
			}
			return false, err
		}
	}
	return true, e.detach(ctx, container, ifname, why)
}
