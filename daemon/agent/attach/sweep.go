// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contiv/contiv/ofnet/ovsdb"
)

// Restore reads the attachments from Open vSwitch, for flows and new numbers. It may be repeated at any time.
func (e *Engine) Restore() {
	for _, p := range e.Switch.Ports(ovsdb.IDEndpoint, "") {
		number := p.OFPort
		if number == 0 {
			number = p.Requested
		}
		if number == 0 {
			continue
		}
		id := p.ExternalIDs[ovsdb.IDEndpoint]
		if id == ovsdb.FixedPort {
			e.numbers.use(number, "port "+p.Name)
			continue
		}
		e.numbers.use(number, id)
		e.Flows.SetPort(id, number)
	}
}

// Run sweeps now and every interval until ctx ends; then it returns nil.
func (e *Engine) Run(ctx context.Context, interval time.Duration) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := e.Sweep(ctx); err != nil && ctx.Err() == nil {
			e.Log.Warn("cannot remove leftovers", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Sweep removes the leftovers of crashes and of vanished containers. A container counts as gone if the path of its network namespace does
// not exist and its interface has vanished, as the kernel does to both when the namespace ends; nothing else - neither a silent master nor
// a missing record - is proof. Containers whose namespace is unknown are left to the code that talks to their runtime. It continues after
// an error and returns all errors.
func (e *Engine) Sweep(ctx context.Context) error {
	names, err := e.Links.Names()
	errs := []error{err}
	ours := e.expected()
	for _, name := range names {
		if e.locks.isBusy(name) {
			continue
		}
		if _, ok := e.Switch.Port(name); !ok && !e.Switch.Wants(name) && !ours[name] {
			e.Log.Info("removing an interface without a port", "interface", name)
			e.Links.ScheduleDelete(name)
		}
	}
	for _, a := range e.List() {
		if e.locks.isBusy(a.Port.Name) || !a.ended() {
			continue
		}
		exists, err := e.Links.Exists(a.Port.Name)
		if err != nil || exists {
			errs = append(errs, err)
			continue
		}
		e.Log.Info("removing an endpoint whose container is gone", "endpoint", a.StateID, "netns", a.Netns)
		errs = append(errs, e.release(ctx, a.ContainerID, a.IfName, whyEnded))
	}
	e.Restore()
	return errors.Join(errs...)
}

// expected returns the names of interfaces that the endpoints of this host's containers may have. Such an interface without a port is for
// LostPorts.
func (e *Engine) expected() map[string]bool {
	out := map[string]bool{}
	for _, ep := range e.Flows.Local() {
		if ep.ContainerID != "" && !e.recent.has(ep.ID.String()) {
			for _, name := range hostNames(ep.ID) {
				out[name] = true
			}
		}
	}
	return out
}

// AdjustMTU gives all attached interfaces their current MTU. It continues after an error and returns all errors.
func (e *Engine) AdjustMTU(ctx context.Context) error {
	var errs []error
	for _, a := range e.List() {
		ep, ok := e.Flows.Endpoint(a.StateID)
		if !ok {
			continue
		}
		n, err := e.Flows.Network(ctx, ep.ID.Network)
		if err == nil {
			err = e.Links.SetMTU(a.Port.Name, e.outerMTU(e.mtu(&n)))
		}
		if err == nil {
			err = e.Links.SetContainerMTU(a.Netns, a.IfName, e.mtu(&n))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("MTU of %s: %w", a.StateID, err))
		}
	}
	return errors.Join(errs...)
}
