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

// lost finds endpoints of containers of this host that no port of the switch names - someone has removed it, or its
// external ids, while no agent ran. While the container's interface is there, the port is made again of what that bears;
// without one, no one can use the endpoint, and it is released - by the machine that had the port, and no other.
type lost struct {
	*Engine
	grace time.Duration // how long an endpoint without port and interface is left to a runtime that may be at work

	mu    sync.Mutex
	since map[string]time.Time // since when an endpoint has neither port nor interface
}

// LostPorts is a source of differences: endpoints without a port.
func (e *Engine) LostPorts() drift.Source {
	return &lost{Engine: e, grace: runtimeLimit, since: map[string]time.Time{}}
}

// runtimeLimit is lost.patience of an agent.
const runtimeLimit = 5 * time.Second

// whyReleased is what the history says of an endpoint that lost has released.
const whyReleased = "neither a port nor an interface of it was left on host"

// why is whyReleased with who says so.
func (l *lost) why() string {
	if l.Machine == "" {
		return whyReleased + " " + l.Host
	}
	return whyReleased + " " + l.Host + ", says machine " + l.Machine
}

// elsewhere says why the port of an endpoint is another machine's, "" when this one has had it as far as is known. Of an endpoint of an earlier build
// its host's label alone is known.
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

// isUnused says that an endpoint without port and interface has been left to the runtime for long enough, and that it is this machine's to release.
// Right after the agent's start that is not known yet.
func (l *lost) isUnused(first, now time.Time) bool {
	return now.Sub(first) >= l.grace && l.registration() == registration.Granted
}

// reattach is what to do for a container whose interface no one can tell from another's.
const reattach = "have the runtime detach and attach the container"

// Kind is drift.KindPort.
func (l *lost) Kind() string { return drift.KindPort }

// Differences lists the endpoints. What this process is making or has just taken away is not among them. It reads the
// kernel's interfaces, once for each.
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

// isLost says that a container's endpoint has no port, and that no one here is at work on it.
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

// interfaceOf finds the host end of an endpoint; "" when there is none.
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

// due says that Differences has told, or would now tell, that an endpoint is released.
func (l *lost) due(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first, known := l.since[id]
	return known && l.isUnused(first, time.Now())
}

// Repair makes the port of an endpoint again, or releases the endpoint. It blocks as Attach does.
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
		return nil // Differences says what to do
	}
	if err := l.plug(ctx, &ep, name, t); err != nil {
		return fmt.Errorf("repair port %s of %s: %w", name, id, err)
	}
	l.Log.Info("made a container's port again", "endpoint", id, "port", name)
	return nil
}

// plug makes the port of an interface that exists.
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
		return err // the port names the endpoint now: drift.Ports and Restore continue with it
	}
	if p.OFPort != number {
		l.numbers.use(p.OFPort, ep.ID.String())
	}
	l.Flows.SetPort(ep.ID.String(), p.OFPort)
	return nil
}

// ifNameOf is the name of the container's interface, as EndpointID has put it into the endpoint's.
func ifNameOf(ep *record.Endpoint) string {
	if rest, ok := strings.CutPrefix(ep.ID.Endpoint, ep.ContainerID+"-"); ok && rest != "" {
		return rest
	}
	return "eth0"
}
