// SPDX-License-Identifier: Apache-2.0

// Package hostcheck looks at what a host's own part of the cluster stands on: its switch, the interfaces of its containers, its underlay
// and its routes.
package hostcheck

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
)

// Containers looks at the interfaces of containers where these see them.
type Containers struct {
	Host     string
	Attached func(ctx context.Context) ([]attach.Configured, map[string]error)
	Services func() []*ofnet.Service
	Look     func(netns, ifname, host string, listeners bool) (link.Seen, error)
}

// Check looks at all containers every ten seconds.
func (c *Containers) Check() check.Check {
	return check.Check{Name: "containers", Interval: 10 * time.Second, Look: c.look}
}

// provided is a port that a container provides.
type provided struct {
	service  string
	protocol uint8
	target   netip.AddrPort
}

func (c *Containers) look(ctx context.Context) (out []model.Finding) {
	providers := map[netip.Addr][]provided{}
	for _, s := range c.Services() {
		for _, p := range s.Ports {
			if p.Protocol != ofnet.ProtocolTCP && p.Protocol != ofnet.ProtocolUDP {
				continue // of others the kernel is not asked
			}
			for _, b := range p.Backends {
				if b.Host == "" && !b.Draining {
					providers[b.Addr] = append(providers[b.Addr], provided{s.Name, p.Protocol, netip.AddrPortFrom(b.Addr, b.Target)})
				}
			}
		}
	}
	list, errs := c.Attached(ctx)
	for id, err := range errs {
		out = append(out, c.unknown(id, err))
	}
	for i := range list {
		a := &list[i]
		if ctx.Err() != nil {
			return append(out, c.unknown(a.StateID, ctx.Err()))
		}
		ports := append(slices.Clone(providers[a.Endpoint.IP]), providers[a.Endpoint.IP6]...)
		seen, err := c.Look(a.Netns, a.IfName, a.Port.Name, len(ports) > 0)
		if err != nil {
			out = append(out, c.unknown(a.StateID, err))
			continue
		}
		if whole := c.compare(a, &seen); whole != nil {
			out = append(out, whole...)
			continue
		}
		out = append(out, c.inside(a, &seen, ports)...)
	}
	return out
}

func object(id string) string { return ofnet.Key{Kind: ofnet.KindEndpoint, Name: id}.String() }

func (c *Containers) unknown(id string, err error) model.Finding {
	return model.Finding{Code: model.FindingContainerUnknown, Severity: model.SeverityUnknown, Object: object(id), Evidence: "its interface was not read: " + err.Error(),
		Remedy: "check the agent's log", Next: "netctl drift " + c.Host}
}

// recreate is what to do for a container whose interface is not as it was made.
const recreate = "put it right in the container, or have the runtime recreate the container or pod"

// compare finds what keeps an interface from working as it was made.
func (c *Containers) compare(a *attach.Configured, seen *link.Seen) (out []model.Finding) {
	want := &a.Config
	wrong := func(code model.FindingCode, severity model.Severity, format string, args ...any) {
		out = append(out, model.Finding{Code: code, Severity: severity, Object: object(a.StateID), Evidence: fmt.Sprintf(format, args...), Remedy: recreate,
			Next: "netctl endpoint inspect " + a.ContainerID})
	}
	switch {
	case !seen.Netns && seen.Outer:
		wrong(model.FindingContainerNamespace, model.SeverityError, "namespace %s cannot be opened, but interface %s is there", a.Netns, a.Port.Name)
	case !seen.Netns:
		wrong(model.FindingContainerNamespace, model.SeverityError, "namespace %s is gone, and the runtime has not detached the container", a.Netns)
		out[0].Remedy = "nothing, when the container has ended: the agent removes the endpoint within half a minute; otherwise have the runtime recreate the container or pod"
	case !seen.Outer || !seen.Inner:
		wrong(model.FindingContainerInterface, model.SeverityError, "interface %s, whose host end is %s, is gone", a.IfName, a.Port.Name)
	case !seen.OuterUp:
		wrong(model.FindingContainerDown, model.SeverityError, "host end %s of interface %s is down", a.Port.Name, a.IfName)
		out[0].Remedy = "ip link set " + a.Port.Name + " up"
	case !seen.InnerUp:
		wrong(model.FindingContainerDown, model.SeverityError, "interface %s is down", a.IfName)
	case want.MAC != nil && !bytes.Equal(seen.MAC, want.MAC):
		wrong(model.FindingContainerMAC, model.SeverityError, "interface %s has the MAC %s, and was given %s: what it sends is dropped", a.IfName, seen.MAC, want.MAC)
	}
	if out != nil {
		return out
	}
	for _, p := range want.Addrs {
		if !slices.Contains(seen.Addrs, p) {
			wrong(model.FindingContainerAddress, model.SeverityError, "interface %s lacks the address %s that it was given; it has %s", a.IfName, p,
				texts(slices.DeleteFunc(slices.Clone(seen.Addrs), func(x netip.Prefix) bool { return x.Addr().IsLinkLocalUnicast() })))
		}
	}
	if out != nil {
		return out // routes go with addresses
	}
	for _, gw := range want.Gateways {
		same := func(x netip.Addr) bool { return x.Is4() == gw.Is4() }
		if !slices.Contains(seen.Default, gw) && (slices.ContainsFunc(seen.Default, same) || !seen.Other) {
			wrong(model.FindingContainerGateway, model.SeverityError, "the default route leads to %s, and was made to %s", texts(slices.DeleteFunc(slices.Clone(seen.Default),
				func(x netip.Addr) bool { return !same(x) })), gw)
		}
	}
	return out
}

// inside finds what a container has made of an interface that works.
func (c *Containers) inside(a *attach.Configured, seen *link.Seen, ports []provided) (out []model.Finding) {
	if want := a.Config.MTU; want != 0 && seen.MTU != want {
		f := model.Finding{Code: model.FindingContainerMTU, Severity: model.SeverityWarning, Object: object(a.StateID),
			Evidence: fmt.Sprintf("interface %s has MTU %d, and was given %d", a.IfName, seen.MTU, want), Remedy: recreate, Next: "netctl endpoint inspect " + a.ContainerID}
		if seen.MTU > want {
			f.Severity, f.Evidence = model.SeverityError, f.Evidence+": larger packets are lost on the way"
		}
		out = append(out, f)
	}
	for _, p := range ports {
		if seen.Listens(p.protocol, p.target) {
			continue
		}
		name := map[uint8]string{ofnet.ProtocolTCP: "tcp", ofnet.ProtocolUDP: "udp"}[p.protocol]
		out = append(out, model.Finding{Code: model.FindingProviderSilent, Severity: model.SeverityWarning, Object: object(a.StateID),
			Evidence: fmt.Sprintf("nothing listens at %s/%s, which service %s leads to it", name, strconv.Itoa(int(p.target.Port())), p.service),
			Remedy:   "start what serves there, or correct the service's port or selector", Next: "netctl service inspect " + serviceArgs(p.service)})
	}
	if len(seen.Drops) > 0 {
		out = append(out, model.Finding{Code: model.FindingContainerFilter, Severity: model.SeverityWarning, Object: object(a.StateID),
			Evidence: "the container filters packets itself: " + strings.Join(seen.Drops, "; "), Remedy: "look whether it is to drop these: nft list ruleset in its namespace",
			Next: "netctl endpoint inspect " + a.ContainerID})
	}
	return out
}

// serviceArgs are the arguments by which netctl takes a service.
func serviceArgs(name string) string {
	tenant, service, _ := identity.Cut(name)
	return service + " -t " + tenant
}

func texts[T fmt.Stringer](list []T) string {
	if len(list) == 0 {
		return "none"
	}
	var out []string
	for _, x := range list {
		out = append(out, x.String())
	}
	return strings.Join(out, ", ")
}
