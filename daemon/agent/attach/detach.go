// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// Attachment is an interface as described by its port's external ids.
type Attachment struct {
	ContainerID string
	IfName      string
	Netns       string // "": the runtime has moved the container's end to a namespace that only the runtime knows
	Tenant      string
	Network     string
	Group       string
	Owner       string
	StateID     string
	Addresses   []netip.Addr // of the endpoint; none for a port of an earlier build
	MAC         record.MAC   // likewise
	Since       time.Time    // when it was attached; zero unless Netns is "" and a port records it
	Port        ovsdb.Port
}

func attachmentOf(p ovsdb.Port) Attachment {
	ids := p.ExternalIDs
	since, _ := time.Parse(time.RFC3339, ids[ovsdb.IDSince])
	addresses, mac := addressesOf(ids)
	return Attachment{Addresses: addresses, MAC: mac, ContainerID: ids[ovsdb.IDContainer], IfName: ids[ovsdb.IDIfName], Netns: ids[ovsdb.IDNetns],
		Tenant: ids[ovsdb.IDTenant], Network: ids[ovsdb.IDNetwork], Group: ids[ovsdb.IDGroup], Owner: ids[ovsdb.IDOwner],
		StateID: ids[ovsdb.IDEndpoint], Since: since, Port: p}
}

// ended reports whether the container's namespace has certainly ended. If the namespace is unknown, only the runtime can know.
func (a *Attachment) ended() bool { return a.Netns != "" && link.NamespaceGone(a.Netns) }

// List returns all attachments, ordered by port name. It does not block.
func (e *Engine) List() []Attachment {
	var out []Attachment
	for _, p := range e.Switch.Ports(ovsdb.IDContainer, "") {
		out = append(out, attachmentOf(p))
	}
	return out
}

// Portless returns the endpoints that the store assigns to this host and that have no port: those for which a crash left only the record,
// those about to get a port, and all of them before OVSDB has been read. It does not block.
func (e *Engine) Portless() []record.Endpoint {
	return slices.DeleteFunc(e.Flows.Local(), func(ep record.Endpoint) bool {
		return len(e.Switch.Ports(ovsdb.IDEndpoint, ep.ID.String())) > 0
	})
}

// find returns the attachments of a container's interface, from its port, or from the store if a crash left no port.
func (e *Engine) find(container, ifname string) []Attachment {
	var out []Attachment
	seen := map[string]bool{}
	for _, p := range e.Switch.Ports(ovsdb.IDContainer, container) {
		if a := attachmentOf(p); a.IfName == ifname {
			out = append(out, a)
			seen[a.StateID] = true
		}
	}
	for _, ep := range e.Flows.Local() {
		if ep.ID.Endpoint == EndpointID(container, ifname) && (ep.ContainerID == "" || ep.ContainerID == container) && !seen[ep.ID.String()] {
			out = append(out, attachmentOfRecord(ep, container, ifname))
		}
	}
	return out
}

func attachmentOfRecord(ep record.Endpoint, container, ifname string) Attachment {
	return Attachment{ContainerID: container, IfName: ifname, Tenant: ep.ID.Tenant, Network: ep.ID.Name,
		Group: ep.Service, StateID: ep.ID.String()}
}

// Detach removes an interface. Detaching an interface that is completely or partly gone succeeds. If the master cannot be reached, Detach
// returns that error and changes nothing, so that a retry finds the attachment.
func (e *Engine) Detach(ctx context.Context, container, ifname string) error {
	e.failures.end(container, time.Now())
	return e.release(ctx, container, ifname, whyAsked)
}

// Reasons for which endpoints are released, for the history.
const (
	whyAsked     = "its runtime detached it"
	whyCollected = "its runtime does not name it among those that it has"
	whyUndone    = "its attachment failed"
	whyEnded     = "its network namespace is gone, and its runtime had not detached it"
)

// release detaches an interface; why goes into the history.
func (e *Engine) release(ctx context.Context, container, ifname, why string) error {
	unlock, err := e.locks.lock(ctx, EndpointID(container, ifname))
	if err != nil {
		return fmt.Errorf("detach %s: %w", container, err)
	}
	defer unlock()
	return e.detach(ctx, container, ifname, why)
}

// detach implements Detach for a caller that holds the lock; why goes into the history.
func (e *Engine) detach(ctx context.Context, container, ifname, why string) error {
	for _, a := range e.find(container, ifname) {
		if err := e.remove(ctx, a, why); err != nil {
			return fmt.Errorf("detach %s: %w", a.StateID, err)
		}
	}
	return nil
}

// remove deletes one attachment at the master, with why for its history, and then here.
func (e *Engine) remove(ctx context.Context, a Attachment, why string) error {
	err := e.Master.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: a.Tenant, NetworkName: a.Network,
		ServiceName: a.Group, EndpointID: EndpointID(a.ContainerID, a.IfName), Reason: why, Host: e.Host, ContainerID: a.ContainerID})
	if err != nil {
		return err
	}
	return e.forget(ctx, a.StateID, a.Port.Name)
}

// forget removes flows, port and interface, and releases the endpoint's number. The interface is removed in the background.
func (e *Engine) forget(ctx context.Context, id, name string) error {
	e.recent.add(id)
	e.Flows.SetPort(id, 0)
	if name != "" {
		if err := e.Switch.RemovePort(ctx, name); err != nil {
			return err
		}
		e.Links.ScheduleDelete(name)
	}
	e.numbers.release(id)
	return nil
}

// Reclaim removes an endpoint from this host without asking the master: the master's cleanup calls it. An absent endpoint is success.
func (e *Engine) Reclaim(ctx context.Context, id string) error {
	for _, p := range e.Switch.Ports(ovsdb.IDEndpoint, id) {
		if id == ovsdb.FixedPort {
			continue
		}
		a := attachmentOf(p)
		unlock, err := e.locks.lock(ctx, EndpointID(a.ContainerID, a.IfName))
		if err != nil {
			return fmt.Errorf("reclaim %s: %w", id, err)
		}
		err = e.forget(ctx, id, p.Name)
		unlock()
		if err != nil {
			return fmt.Errorf("reclaim %s: %w", id, err)
		}
	}
	return nil
}

// Check returns nil if the attachment is complete: endpoint, port and interface are as created. ErrUnknown: there is none.
func (e *Engine) Check(ctx context.Context, container, ifname, netns string) (Result, error) {
	res, err := e.whole(ctx, container, ifname, netns)
	if err != nil {
		return res, err
	}
	if err := e.Links.Check(e.config(&res)); err != nil {
		return res, fmt.Errorf("check %s: %w", res.Endpoint.ID, err)
	}
	return res, nil
}

// Find returns an attachment of Request.Handed as it was created, without checking the interface. ErrUnknown: there is none. It blocks only
// if the store must be asked for the network.
func (e *Engine) Find(ctx context.Context, container, ifname string) (Result, error) {
	return e.whole(ctx, container, ifname, "")
}

// whole returns an attachment with a working port.
func (e *Engine) whole(ctx context.Context, container, ifname, netns string) (Result, error) {
	found := e.find(container, ifname)
	if len(found) == 0 {
		return Result{}, fmt.Errorf("%w: %s %s", ErrUnknown, container, ifname)
	}
	a := found[0]
	if a.Port.Name == "" {
		return Result{}, fmt.Errorf("check %s: the switch has no port of it", a.StateID)
	}
	ep, ok := e.Flows.Endpoint(a.StateID)
	if !ok {
		return Result{}, fmt.Errorf("check %s: netmaster has no such endpoint", a.StateID)
	}
	if a.Port.OFPort == 0 {
		return Result{}, fmt.Errorf("check %s: port %s does not work: %s", a.StateID, a.Port.Name, a.Port.Error)
	}
	n, err := e.Flows.Network(ctx, ep.ID.Network)
	if err != nil {
		return Result{}, fmt.Errorf("check %s: %w", a.StateID, err)
	}
	res, err := e.result(ifname, netns, a.Port.Name, ep, n)
	res.OFPort, res.Owner = a.Port.OFPort, a.Owner
	if err != nil {
		return res, fmt.Errorf("check %s: %w", a.StateID, err)
	}
	return res, nil
}

// Keep detaches everything that owner attached and that valid does not name: CNI's garbage collection. It continues after an error and
// returns all errors.
func (e *Engine) Keep(ctx context.Context, owner string, valid map[[2]string]bool) error {
	var errs []error
	for _, a := range e.List() {
		if a.Owner == owner && !valid[[2]string{a.ContainerID, a.IfName}] {
			errs = append(errs, e.release(ctx, a.ContainerID, a.IfName, whyCollected))
		}
	}
	return errors.Join(errs...)
}
