// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
)

// kept is an interface as it was last set, with its owner.
type kept struct {
	owner ofnet.Key
	port  link.HostPort
}

func (k *kept) equal(o *kept) bool {
	return k.owner == o.owner && k.port.Equal(&o.port)
}

// keep sets an interface if its desired state has changed. Repair handles changes by others.
func (e *Engine) keep(owner ofnet.Key, port link.HostPort) error {
	now := kept{owner, port}
	e.mu.Lock()
	defer e.mu.Unlock()
	if old, ok := e.kept[port.Name]; ok && old.equal(&now) {
		return nil
	}
	delete(e.kept, port.Name)
	if err := e.Links.SetHostPort(port); err != nil {
		return err
	}
	e.kept[port.Name] = now
	return nil
}

func (e *Engine) unkeep(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.kept, name)
}

// Kind is drift.KindAddress: an Engine is a drift.Source.
func (e *Engine) Kind() string { return drift.KindAddress }

// Differences lists the host's interfaces that are not as they were set.
func (e *Engine) Differences() (out []drift.Difference, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(e.kept)) {
		k := e.kept[name]
		was, want, failed := e.Links.HostPortDrift(k.port)
		err = errors.Join(err, failed)
		if len(was)+len(want) > 0 {
			out = append(out, drift.Difference{Thing: name, Difference: model.Difference{Owner: k.owner.String(),
				What: "changed: interface " + name, Was: strings.Join(was, ", "), Want: strings.Join(want, ", ")}})
		}
	}
	return out, err
}

// Repair sets an interface to its last state. It ignores one that is no longer required.
func (e *Engine) Repair(_ context.Context, name string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	k, ok := e.kept[name]
	if !ok {
		return nil
	}
	return e.Links.SetHostPort(k.port)
}
