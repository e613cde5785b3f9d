// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Published returns the ports of the host that should lead to an endpoint, and for each that does not the reason, as of the last check of
// the host's address translation. It waits for a change in progress. An error means that the ports are unknown.
func (e *Engine) Published(endpoint string) ([]model.PublishedPort, error) {
	e.publisher.mu.Lock()
	defer e.publisher.mu.Unlock()
	ports := e.Switch.Ports(ovsdb.IDEndpoint, endpoint)
	if len(ports) == 0 {
		return nil, fmt.Errorf("endpoint %s is not attached here", endpoint)
	}
	list, err := link.SplitPortMappings(ports[0].ExternalIDs[ovsdb.IDPublished])
	if err != nil {
		return nil, fmt.Errorf("%s of port %s: %w", ovsdb.IDPublished, ports[0].Name, err)
	}
	g, out := e.Flows.Global(), []model.PublishedPort{}
	for _, m := range list {
		p := model.PublishedPort{Protocol: link.ProtocolName(m.Protocol), Host: m.Host, Container: m.Container}
		var to link.Published
		if to, p.Why = e.target(&g, &ports[0], m); p.Why == "" && !slices.Contains(e.publisher.set.Ports, to) {
			p.Why = "the host does not translate it yet"
		}
		out = append(out, p)
	}
	return out, nil
}

// Unreached returns the endpoints that ports of the host should lead to and that the host does not reach, with the reason.
func (e *Engine) Unreached() map[string]string {
	out := map[string]string{}
	for _, p := range e.Switch.Ports(ovsdb.IDEndpoint, "") {
		endpoint := p.ExternalIDs[ovsdb.IDEndpoint]
		if why := e.unreachable(endpoint); why != "" && p.ExternalIDs[ovsdb.IDPublished] != "" {
			out[endpoint] = why
		}
	}
	return out
}

// published returns the ports of the host that should lead to containers.
func (e *Engine) published(g *record.Global) (out []link.Published) {
	for _, p := range e.Switch.Ports(ovsdb.IDEndpoint, "") {
		text := p.ExternalIDs[ovsdb.IDPublished]
		if text == "" || p.OFPort == 0 {
			continue
		}
		list, err := link.SplitPortMappings(text)
		if err != nil {
			e.Log.Warn("malformed published ports", "port", p.Name, "error", err)
			continue
		}
		for _, m := range list {
			if to, why := e.target(g, &p, m); why == "" {
				out = append(out, to)
			}
		}
	}
	slices.SortFunc(out, func(a, b link.Published) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), a.From.Compare(b.From), a.To.Compare(b.To))
	})
	return out
}

// target is the destination of a mapping of a port of the switch, or why there is none.
func (e *Engine) target(g *record.Global, p *ovsdb.Port, m link.PortMapping) (to link.Published, why string) {
	endpoint := p.ExternalIDs[ovsdb.IDEndpoint]
	ep, ok := e.Flows.Endpoint(endpoint)
	private, own, family := e.Flows.Private(), ep.IP, "IPv4"
	if m.Host.Addr().Is6() {
		private, own, family = pipeline.Private6(private), ep.IP6, "IPv6"
	}
	if !ok || !own.IsValid() {
		return to, "the container has no " + family + " address"
	}
	if why := e.unreachable(endpoint); why != "" {
		return to, why
	}
	if e.hidden(g, ep.ID.Network) {
		return link.Published{Protocol: m.Protocol, From: m.Host, To: netip.AddrPortFrom(own, m.Container)}, ""
	}
	return link.Published{Protocol: m.Protocol, From: m.Host, To: netip.AddrPortFrom(pipeline.PrivateAddr(private, p.OFPort), m.Container)}, ""
}
