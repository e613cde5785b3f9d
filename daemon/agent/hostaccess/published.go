package hostaccess

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Published returns the ports of the host that are to lead to an endpoint, and of each that does not why, as of the last look at the host's
// address translation. It waits for a change of that which is under way. An error says that it is not known which ports these are.
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
	out := []model.PublishedPort{}
	for _, m := range list {
		p := model.PublishedPort{Protocol: link.ProtocolName(m.Protocol), Host: m.Host, Container: m.Container}
		switch to, ok := e.target(&ports[0], m); {
		case !ok && m.Host.Addr().Is6():
			p.Why = "the container has no IPv6 address"
		case !ok:
			p.Why = "the container has no IPv4 address"
		case !slices.Contains(e.publisher.set.Ports, to):
			p.Why = "the host does not translate it yet"
		}
		out = append(out, p)
	}
	return out, nil
}

// published are the ports of the host that are to lead to containers.
func (e *Engine) published() (out []link.Published) {
	for _, p := range e.Switch.Ports(ovsdb.IDEndpoint, "") {
		text := p.ExternalIDs[ovsdb.IDPublished]
		if text == "" || p.OFPort == 0 {
			continue
		}
		list, err := link.SplitPortMappings(text)
		if err != nil {
			e.Log.Warn("published ports are not understood", "port", p.Name, "error", err)
			continue
		}
		for _, m := range list {
			if to, ok := e.target(&p, m); ok {
				out = append(out, to)
			}
		}
	}
	slices.SortFunc(out, func(a, b link.Published) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), a.From.Compare(b.From), a.To.Compare(b.To))
	})
	return out
}

// target is where a mapping of a port of the switch leads; ok is false when the container has no address of that family.
func (e *Engine) target(p *ovsdb.Port, m link.PortMapping) (to link.Published, ok bool) {
	ep, ok := e.Flows.Endpoint(p.ExternalIDs[ovsdb.IDEndpoint])
	private, own := e.Flows.Private(), ep.IP
	if m.Host.Addr().Is6() {
		private, own = pipeline.Private6(private), ep.IP6
	}
	if !ok || !own.IsValid() {
		return to, false
	}
	if g := e.Flows.Global(); e.hidden(&g, ep.ID.Network) {
		return link.Published{Protocol: m.Protocol, From: m.Host, To: netip.AddrPortFrom(own, m.Container)}, true
	}
	return link.Published{Protocol: m.Protocol, From: m.Host, To: netip.AddrPortFrom(pipeline.PrivateAddr(private, p.OFPort), m.Container)}, true
}
