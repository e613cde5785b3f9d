// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// borrowedPorts adds the ports that services borrow of this host's own addresses: they lead to the service's node port or, without one, to
// the service's cluster address, with this host's address as source. A port that a program of the host uses stays with the program. Owned
// ports of t come before.
func (e *Engine) borrowedPorts(t *link.Translation, hosts *machines) error {
	own, err := e.Links.Addresses()
	if err != nil {
		return err
	}
	kept := map[string]string{}
	for _, v := range e.Flows.Services() {
		for _, a := range v.Borrowed {
			if !slices.Contains(own, a) || slices.Contains(v.Guarded, a) { // the kernel does not check the client
				continue
			}
			for i := range v.Ports {
				e.borrow(t, hosts, v, &v.Ports[i], a, kept)
			}
		}
	}
	for what, why := range kept {
		if e.publisher.kept[what] == "" {
			e.Log.Warn("a service needs a port of this host that a program uses; the program keeps it", "port", what, "reason", why)
		}
	}
	e.publisher.kept = kept
	return nil
}

// borrow adds a port of a service at an own address of the host, or records in kept why not.
func (e *Engine) borrow(t *link.Translation, hosts *machines, v *ofnet.Service, p *ofnet.ServicePort, a netip.Addr, kept map[string]string) {
	private, by := e.Flows.Private(), hosts.self(a)
	if a.Is6() {
		private = pipeline.Private6(private)
	}
	from := netip.AddrPortFrom(a, p.Port)
	var led []link.Published
	switch i := slices.IndexFunc(v.Cluster, func(c netip.Addr) bool { return c.Is4() == a.Is4() }); {
	case p.NodePort != 0 && (by.IsValid() || v.ExternalLocal):
		led = byNodePort(v, p, from, private, by.IsValid())
	case v.ExternalLocal || i < 0 || !by.IsValid():
		return
	default:
		led = []link.Published{{Protocol: p.Protocol, From: from, To: netip.AddrPortFrom(v.Cluster[i], p.Port)}}
		if h := (link.Hidden{Prefix: netip.PrefixFrom(v.Cluster[i], a.BitLen()), By: by}); !slices.Contains(t.Hidden, h) {
			t.Hidden = append(t.Hidden, h)
		}
	}
	if !slices.Contains(e.publisher.set.Ports, led[0]) { // a port that leads to the service already is not a program's
		if err := e.Links.Bound(p.Protocol, from); err != nil {
			kept[fmt.Sprintf("%s: %s at %s", v.Name, p, a)] = err.Error()
			return
		}
	}
	t.Ports = append(t.Ports, led...)
}

// Kept describes the ports of this host that services borrow and that programs keep, with the reasons.
func (e *Engine) Kept() map[string]string {
	e.publisher.mu.Lock()
	defer e.publisher.mu.Unlock()
	return maps.Clone(e.publisher.kept)
}
