// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"fmt"
	"slices"
)

// Forsake detaches an interface that its runtime does not know, as Detach does; why goes into the history. It skips an interface that a
// request is using, and one whose far end is in a namespace of its own, where a container may use it: done is false. seen reports that this
// process sees all processes of the runtime's containers, so that a namespace without processes belongs to no container.
func (e *Engine) Forsake(ctx context.Context, container, ifname, why string, seen bool) (done bool, err error) {
	used := e.Links.Taken
	if seen {
		used = e.Links.Occupied
	}
	unlock, held := e.locks.tryLock(EndpointID(container, ifname))
	if held != nil {
		return false, nil
	}
	defer unlock()
	for _, a := range e.find(container, ifname) {
		for _, name := range e.interfaces(&a) {
			if e.locks.isBusy(name) {
				return false, nil
			}
			if inUse, err := used(name); err != nil || inUse {
				if err != nil {
					err = fmt.Errorf("forsake %s: %w", a.StateID, err)
				}
				return false, err
			}
		}
	}
	return true, e.detach(ctx, container, ifname, why)
}

// interfaces returns the names of an attachment's interfaces: its port's, or without a port those that may belong to it.
func (e *Engine) interfaces(a *Attachment) []string {
	if a.Port.Name != "" {
		return []string{a.Port.Name}
	}
	ep, ok := e.Flows.Endpoint(a.StateID)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(hostNames(ep.ID), func(name string) bool {
		_, port := e.Switch.Port(name) // another endpoint's
		there, err := e.Links.Exists(name)
		return port || err == nil && !there
	})
}
