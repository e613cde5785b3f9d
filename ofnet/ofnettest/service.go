// SPDX-License-Identifier: Apache-2.0

package ofnettest

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
)

// service reads the words of a line about a service: address=ADDRESS,... for clients outside too, cluster=ADDRESS,... for others,
// ports=PROTOCOL:PORT:TARGET[:NODEPORT],..., backends=ADDRESS,... of all ports, draining=ADDRESS,... and far=ADDRESS,... among them, and
// hosts=ADDRESS@HOST,..., guarded=ADDRESS,... with sources=PREFIX,..., affinity or affinity=SECONDS, clusterlocal, externallocal.
func (l *line) service(name string) *ofnet.Service {
	tenant, _, _ := strings.Cut(name, ":")
	v := &ofnet.Service{Name: name, Tenant: tenant, External: l.addrs("address"), Cluster: l.addrs("cluster"), Ports: l.servicePorts("ports"),
		ClusterLocal: l.has("clusterlocal"), ExternalLocal: l.has("externallocal"), Guarded: l.addrs("guarded"), Sources: l.prefixes("sources"), Affinity: ofnet.Affinity{Client: l.has("affinity")}}
	if l.words["affinity"] != "" {
		v.Affinity.Timeout = time.Duration(l.number("affinity")) * time.Second
	}
	hosts := map[netip.Addr]string{}
	l.get("hosts", func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			addr, host, _ := strings.Cut(word, "@")
			a, err := netip.ParseAddr(addr)
			if err != nil {
				return err
			}
			hosts[a] = host
		}
		return nil
	})
	far, draining := l.addrs("far"), l.addrs("draining")
	SetBackends(v, l.addrs("backends")...)
	for i := range v.Ports {
		for j := range v.Ports[i].Backends {
			b := &v.Ports[i].Backends[j]
			b.Host, b.Far, b.Draining = hosts[b.Addr], slices.Contains(far, b.Addr), slices.Contains(draining, b.Addr)
		}
	}
	return v
}

// servicePorts reads ports without backends, except a first one with only the target.
func (l *line) servicePorts(k string) (out []ofnet.ServicePort) {
	l.get(k, func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			part := line{words: map[string]string{}}
			for i, w := range strings.SplitN(word, ":", 4) {
				part.words[[]string{"protocol", "port", "target", "node"}[i]] = w
			}
			out = append(out, ofnet.ServicePort{Protocol: part.protocol("protocol"), Port: uint16(part.number("port")),
				NodePort: uint16(part.number("node")), Backends: []ofnet.Backend{{Target: uint16(part.number("target"))}}})
			if part.err != nil {
				return part.err
			}
		}
		return nil
	})
	return out
}

// SetBackends gives each port of a service backends with these addresses, whose target is that of the port's first one so far; a port
// without one uses its own number as target.
func SetBackends(v *ofnet.Service, addrs ...netip.Addr) {
	v.Ports = slices.Clone(v.Ports)
	for i := range v.Ports {
		p := &v.Ports[i]
		target := p.Port
		if len(p.Backends) > 0 {
			target = p.Backends[0].Target
		}
		p.Backends = nil
		for _, a := range addrs {
			p.Backends = append(p.Backends, ofnet.Backend{Addr: a, Target: target})
		}
		slices.SortFunc(p.Backends, func(a, b ofnet.Backend) int { return a.Addr.Compare(b.Addr) })
	}
}

// Backends are the addresses behind the first port of a service.
func Backends(v *ofnet.Service) (out []netip.Addr) {
	if len(v.Ports) == 0 {
		return nil
	}
	for _, b := range v.Ports[0].Backends {
		out = append(out, b.Addr)
	}
	return out
}
