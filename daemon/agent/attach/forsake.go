package attach

import (
	"context"
	"fmt"
)

// Forsake detaches an interface that its runtime does not know, as Detach does; the history keeps why. One that a request is at work on
// is left, and so is one whose far end is in a namespace of its own, where a container may use it: done is false. seen says that this
// process sees all processes of the runtime's containers, so that a namespace without any is no container's.
func (e *Engine) Forsake(ctx context.Context, container, ifname, why string, seen bool) (done bool, err error) {
	used := e.Links.Taken
	if seen {
		used = e.Links.Occupied
	}
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
		if inUse, err := used(a.Port.Name); err != nil || inUse {
			if err != nil {
				err = fmt.Errorf("forsake %s: %w", a.StateID, err)
			}
			return false, err
		}
	}
	return true, e.detach(ctx, container, ifname, why)
}
