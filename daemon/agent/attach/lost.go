// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/daemon/agent/registration"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// lost finds endpoints of containers of this host that no port of the switch names, because someone has removed the port or its external
// ids while no agent ran. If the container's interface exists, the port is recreated from its alias; otherwise the endpoint is useless and
// is released, but only by the machine that had the port.
type lost struct {
	*Engine
	grace time.Duration // how long an endpoint without port and interface is left to a runtime that may be creating it

	mu    sync.Mutex
	since map[string]time.Time // when the endpoint was first seen without port and interface
}

// LostPorts returns a source of differences: endpoints without a port.
func (e *Engine) LostPorts() drift.Source {
	return &lost{Engine: e, grace: runtimeTimeout, since: map[string]time.Time{}}
}

// runtimeTimeout is lost.grace of an agent.
const runtimeTimeout = 5 * time.Second

// whyReleased is the reason in the history for an endpoint that lost has released.
const whyReleased = "neither a port nor an interface of it was left on host"

// why returns whyReleased with the host's name.
func (l *lost) why() string {
	if l.Machine == "" {
		return whyReleased + " " + l.Host
	}
	return whyReleased + " " + l.Host + ", says machine " + l.Machine
}

// elsewhere returns why the port of an endpoint belongs to another machine, "" if it belongs to this one as far as is known. For an
// endpoint of an earlier build only its host's label is known.
func (l *lost) elsewhere(ep *record.Endpoint) string {
	switch {
	case ep.Machine != "" && ep.Machine != l.Machine:
		return "not here: another machine has attached it as host " + l.Host
	case l.registration() == registration.Refused:
		return "not here, and host " + l.Host + " is another machine's now"
	}
	return ""
}

func (l *lost) registration() registration.State {
	if l.Registration == nil {
		return registration.Granted
	}
	return l.Registration()
}

// isUnused reports whether an endpoint without port and interface has been left to the runtime for long enough, and is this machine's to
// release. Right after the agent's start that is unknown.
func (l *lost) isUnused(first, now time.Time) bool {
	return now.Sub(first) >= l.grace && l.registration() == registration.Granted
}

// reattach is the remedy for a container whose interface cannot be identified.
const reattach = "have the runtime detach and attach the container"

// Kind returns drift.KindPort.
func (l *lost) Kind() string { return drift.KindPort }

// Differences lists the endpoints, except those that this process is creating or has just removed. It reads the kernel's interfaces, each
// once.
func (l *lost) Differences() (out []drift.Difference, err error) {
	now := time.Now()
	gone := map[string]time.Time{}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ep := range l.Flows.Local() {
		if !l.isLost(&ep) {
			continue
		}
		name, alias, failed := l.interfaceOf(ep.ID)
		if failed != nil {
			return out, failed
		}
		d := drift.Difference{Thing: ep.ID.String(), Difference: model.Difference{Owner: ofnet.Key{Kind: ofnet.KindEndpoint, Name: ep.ID.String()}.String()}}
		_, told := readTag(alias)
		other := l.elsewhere(&ep)
		switch {
		case name == "" && other != "":
			d.What = other
			d.Remedy = "when that machine is gone for good: netctl node forget " + l.Host + " --release"
		case name == "":
			first, known := l.since[ep.ID.String()]
			if !known {
				first = now
			}
			if gone[ep.ID.String()] = first; !l.isUnused(first, now) {
				continue
			}
			d.What = "removed: port and interface, as when the container's namespace ends; the endpoint is released"
		case !told:
			d.What, d.Remedy = "removed: port "+name+", and the interface does not say whose it is", reattach
		default:
			d.What, d.Want = "removed: port "+name, "port "+name+" that names the endpoint"
		}
		out = append(out, d)
	}
	l.since = gone
	slices.SortFunc(out, func(a, b drift.Difference) int { return strings.Compare(a.Thing, b.Thing) })
	return out, nil
}

// isLost reports whether a container's endpoint has no port, and no operation of this process holds it.
func (l *lost) isLost(ep *record.Endpoint) bool {
	if ep.ContainerID == "" || l.recent.has(ep.ID.String()) || len(l.Switch.Ports(ovsdb.IDEndpoint, ep.ID.String())) > 0 {
		return false
	}
	for _, name := range hostNames(ep.ID) {
		if l.locks.isBusy(name) || l.Switch.Wants(name) {
			return false
		}
	}
	return true
}

// interfaceOf returns the host end of an endpoint; "" if there is none.
func (e *Engine) interfaceOf(id identity.Endpoint) (name, alias string, err error) {
	for _, name := range hostNames(id) {
		if p, ok := e.Switch.Port(name); ok && p.ExternalIDs[ovsdb.IDEndpoint] != "" {
			continue // another endpoint's
		}
		alias, exists, err := e.Links.Alias(name)
		if err != nil || exists {
			return name, alias, err
		}
	}
	return "", "", nil
}

// due reports whether Differences has reported, or would now report, that an endpoint is to be released.
func (l *lost) due(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first, known := l.since[id]
	return known && l.isUnused(first, time.Now())
}

// Repair recreates the port of an endpoint, or releases the endpoint. It blocks as Attach does.
func (l *lost) Repair(ctx context.Context, id string) error {
	ep, ok := l.Flows.Endpoint(id)
	if !ok {
		return nil
	}
	unlock, err := l.locks.lock(ctx, ep.ID.Endpoint)
	if err != nil {
		return fmt.Errorf("repair %s: %w", id, err)
	}
	defer unlock()
	if !l.isLost(&ep) {
		return nil
	}
	name, alias, err := l.interfaceOf(ep.ID)
	if err != nil {
		return fmt.Errorf("repair %s: %w", id, err)
	}
	if name == "" {
		if !l.due(id) || l.elsewhere(&ep) != "" {
			return nil
		}
		l.Log.Warn("releasing an endpoint that has neither port nor interface", "endpoint", id)
		if err := l.remove(ctx, attachmentOfRecord(ep, ep.ContainerID, ifNameOf(&ep)), l.why()); err != nil {
			return fmt.Errorf("release %s: %w", id, err)
		}
		return nil
	}
	t, told := readTag(alias)
	if !told {
		return nil // Differences names the remedy
	}
	if err := l.plug(ctx, &ep, name, t); err != nil {
		return fmt.Errorf("repair port %s of %s: %w", name, id, err)
	}
	l.Log.Info("recreated a container's port", "endpoint", id, "port", name)
	return nil
}

// plug creates the port of an existing interface.
func (l *lost) plug(ctx context.Context, ep *record.Endpoint, name string, t tag) error {
	number, err := l.numbers.allocate(ep.ID.String())
	if err != nil {
		return err
	}
	a := attachmentOfRecord(*ep, ep.ContainerID, ifNameOf(ep))
	ids := externalIDs(Request{ContainerID: a.ContainerID, IfName: a.IfName, Netns: t.netns, Owner: t.owner, Tenant: a.Tenant,
		Network: a.Network, Group: a.Group}, ep)
	err = l.Switch.AddPort(ctx, ovsdb.PortSpec{Name: name, OFPort: number, ExternalIDs: ids})
	if err != nil {
		if !l.stands(name) {
			l.numbers.release(ep.ID.String())
		}
		return err
	}
	p, err := l.Switch.WaitPort(ctx, name)
	if err != nil {
		return err // the port now names the endpoint: drift.Ports and Restore do the rest
	}
	if p.OFPort != number {
		l.numbers.use(p.OFPort, ep.ID.String())
	}
	l.Flows.SetPort(ep.ID.String(), p.OFPort)
	return nil
}

// ifNameOf returns the name of the container's interface, which EndpointID has appended to the endpoint's.
func ifNameOf(ep *record.Endpoint) string {
	if rest, ok := strings.CutPrefix(ep.ID.Endpoint, ep.ContainerID+"-"); ok && rest != "" {
		return rest
	}
	return "eth0"
}
