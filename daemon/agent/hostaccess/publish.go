// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// publisher records which ports of the host lead to containers. The desired state is in the external ids of the containers' ports, so a
// port of the host never leads anywhere for longer than its container is attached.
type publisher struct {
	mu   sync.Mutex
	set  link.Translation  // as of the last check
	is   bool              // it has been made
	kept map[string]string // ports that services borrow and that programs keep, with the reasons
}

// ErrPublish means that a port of the host cannot lead to a container.
var ErrPublish = errors.New("port cannot be published")

// Publish makes ports of the host lead to an endpoint that is attached here, until it is detached or Unpublish is called; without mappings
// none do. It blocks until that is done. Errors are of ErrPublish if other mappings might succeed.
func (e *Engine) Publish(ctx context.Context, endpoint string, mappings []link.PortMapping) error {
	if len(mappings) > 0 {
		if why := e.unreachable(endpoint); why != "" {
			return fmt.Errorf("%w: %s; attach the container to a VXLAN network, too", ErrPublish, why)
		}
	}
	wishes := make([]link.PortWish, len(mappings))
	for i, m := range mappings {
		wishes[i] = m.Wish()
	}
	return e.Accept(ctx, endpoint, wishes)
}

// Accept is Publish for a caller that a refusal would leave half done: mappings of an endpoint that the host does not reach are kept, lead
// nowhere, and Published returns the reason. It chooses the ports of the host that a wish leaves open; the same wish again gets the same.
func (e *Engine) Accept(ctx context.Context, endpoint string, wishes []link.PortWish) error {
	e.publisher.mu.Lock()
	defer e.publisher.mu.Unlock()
	ports := e.Switch.Ports(ovsdb.IDEndpoint, endpoint)
	if len(ports) == 0 {
		if len(wishes) == 0 {
			return nil
		}
		return fmt.Errorf("publish ports of %s: it is not attached here", endpoint)
	}
	held, _ := link.SplitPortMappings(ports[0].ExternalIDs[ovsdb.IDPublished]) // an invalid value is chosen again
	mappings, err := e.choose(endpoint, wishes, held)
	if err != nil {
		return err
	}
	if err := e.publishable(endpoint, mappings); err != nil {
		return err
	}
	if err := e.Switch.Label(ctx, ports[0].Name, ovsdb.IDPublished, link.JoinPortMappings(mappings)); err != nil {
		return err
	}
	g := e.Flows.Global()
	return e.translatePorts(&g)
}

// Unpublish removes the ports of the host that lead to an endpoint.
func (e *Engine) Unpublish(ctx context.Context, endpoint string) error {
	return e.Publish(ctx, endpoint, nil)
}

// publishable reports what prevents mappings: another container, or a program of the host.
func (e *Engine) publishable(endpoint string, mappings []link.PortMapping) error {
	if _, ok := e.Flows.Endpoint(endpoint); !ok && len(mappings) > 0 {
		return fmt.Errorf("publish ports of %s: the endpoint is not known here yet", endpoint)
	}
	for i, m := range mappings {
		for _, o := range mappings[:i] {
			if m.Overlaps(o) {
				return fmt.Errorf("%w: %s and %s are the same port of the host; publish one of them", ErrPublish, o, m)
			}
		}
	}
	for _, p := range e.Switch.Ports(ovsdb.IDEndpoint, "") {
		other := p.ExternalIDs[ovsdb.IDEndpoint]
		if other == endpoint {
			continue
		}
		theirs, _ := link.SplitPortMappings(p.ExternalIDs[ovsdb.IDPublished]) // an invalid value maps nothing
		for _, m := range mappings {
			if slices.ContainsFunc(theirs, m.Overlaps) {
				return fmt.Errorf("%w: %s leads to endpoint %s already; choose another port of the host", ErrPublish, m, other)
			}
		}
	}
	for _, m := range mappings {
		if err := e.Links.Bound(m.Protocol, m.Host); err != nil {
			return fmt.Errorf("%w: %s: a program of the host has the port, or no interface has the address (%w); choose another one", ErrPublish, m, err)
		}
	}
	return nil
}

// unreachable explains why the host can lead nothing to an endpoint; "": it can, or the endpoint is unknown. On a bridged VLAN it cannot.
func (e *Engine) unreachable(endpoint string) string {
	ep, ok := e.Flows.Endpoint(endpoint)
	if !ok {
		return ""
	}
	g := e.Flows.Global()
	for _, n := range e.Flows.Networks() {
		if n.ID == ep.ID.Network && !leads(&g, &n) {
			return fmt.Sprintf("network %s is a bridged VLAN, whose containers are not reached by way of their host", n.ID)
		}
	}
	return ""
}

// keepPublished applies the desired translation.
func (e *Engine) keepPublished(g *record.Global) error {
	e.publisher.mu.Lock()
	defer e.publisher.mu.Unlock()
	return e.translatePorts(g)
}

// translatePorts applies the translation that the switch's ports define.
func (e *Engine) translatePorts(g *record.Global) error {
	subnet := e.Flows.Private()
	t := link.Translation{Ports: e.published(g)}
	for _, p := range []netip.Prefix{subnet, pipeline.Private6(subnet)} {
		t.Private, t.Own = append(t.Private, p), append(t.Own, pipeline.HostAddr(p))
	}
	if g.HostAccess == record.HostDirect {
		hosts := e.machines()
		e.clients(&t, g, hosts)
		e.nodePorts(&t, hosts)
		if err := e.borrowedPorts(&t, hosts); err != nil {
			return err
		}
	}
	if e.publisher.is && t.Equal(&e.publisher.set) {
		return nil
	}
	if len(t.Ports) > 0 {
		if err := e.Links.AllowLoopback(PortName); err != nil {
			return err
		}
	}
	if err := e.Links.SetPublished(t); err != nil {
		return err
	}
	gone, come := without(e.publisher.set.Ports, t.Ports), without(t.Ports, e.publisher.set.Ports)
	e.publisher.set, e.publisher.is = t, true
	return e.Links.ForgetPublished(gone, come)
}

// without returns the elements of a that b does not have.
func without(a, b []link.Published) []link.Published {
	return slices.DeleteFunc(slices.Clone(a), func(p link.Published) bool { return slices.Contains(b, p) })
}
