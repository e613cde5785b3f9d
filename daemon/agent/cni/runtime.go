// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"github.com/containernetworking/cni/pkg/types"
	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/ofnet/link"
)

// Publisher makes ports of the host lead to endpoints; *hostaccess.Engine is one. The published ports of an endpoint end with its port.
type Publisher interface {
	Publish(ctx context.Context, endpoint string, mappings []link.PortMapping) error
	Published(endpoint string) ([]model.PublishedPort, error)
}

// runtimeConfig has a runtime's requests for the capabilities of the configuration (CNI conventions, "dynamic plugin specific fields").
type runtimeConfig struct {
	PortMappings []portMapping `json:"portMappings,omitempty"`
	IPs          []string      `json:"ips,omitempty"` // requested addresses, with or without a length; one of each family
	MAC          string        `json:"mac,omitempty"` // requested
	Bandwidth    bandwidth     `json:"bandwidth,omitzero"`
}

// portMapping is a port of the host that leads to one of the container.
type portMapping struct {
	HostPort      int    `json:"hostPort"`
	ContainerPort int    `json:"containerPort"`
	Protocol      string `json:"protocol"` // "tcp", "udp" or "sctp", in any case; "" is tcp
	HostIP        string `json:"hostIP"`   // "": all addresses of the host
}

// unsupported is the error for an unsupported request, with the name of the field.
func unsupported(field, format string, values ...any) *types.Error {
	return types.NewError(types.ErrUnsupportedField, "runtimeConfig."+field+": "+fmt.Sprintf(format, values...), "")
}

// addresses returns the requested ones.
func (r *runtimeConfig) addresses() (four, six string, err error) {
	for _, text := range r.IPs {
		bare, _, _ := strings.Cut(text, "/")
		a, failed := netip.ParseAddr(bare)
		to := &four
		if a.Is6() {
			to = &six
		}
		if failed != nil || a.Zone() != "" || *to != "" {
			return "", "", unsupported("ips", "got %q, want at most one address of each family", text)
		}
		*to = a.String()
	}
	return four, six, nil
}

// mappings returns the ports of the host for a container with these addresses. Port 0 of the host requests nothing.
func (r *runtimeConfig) mappings(addrs []netip.Prefix) (out []link.PortMapping, err error) {
	for _, m := range r.PortMappings {
		if m.HostPort == 0 {
			continue
		}
		const most = 1<<16 - 1
		protocol, ok := map[string]uint8{"": unix.IPPROTO_TCP, "tcp": unix.IPPROTO_TCP, "udp": unix.IPPROTO_UDP, "sctp": unix.IPPROTO_SCTP}[strings.ToLower(m.Protocol)]
		if !ok || m.HostPort < 0 || m.HostPort > most || m.ContainerPort < 1 || m.ContainerPort > most {
			return nil, unsupported("portMappings", "%d to %d over %q: ports are 1 to %d, and protocols tcp, udp and sctp", m.HostPort, m.ContainerPort, m.Protocol, most)
		}
		hosts := []netip.Addr{netip.IPv4Unspecified(), netip.IPv6Unspecified()}
		if m.HostIP != "" {
			one, err := netip.ParseAddr(m.HostIP)
			if err != nil || one.Zone() != "" {
				return nil, unsupported("portMappings", "hostIP %q is not an address of the host", m.HostIP)
			}
			hosts = []netip.Addr{one.Unmap()}
		}
		for _, h := range hosts {
			for _, a := range addrs {
				if a.Addr().Is4() == h.Is4() {
					out = append(out, link.PortMapping{Protocol: protocol, Host: netip.AddrPortFrom(h, uint16(m.HostPort)), Container: uint16(m.ContainerPort)})
					break
				}
			}
		}
	}
	return out, nil
}

// check rejects unsupported requests before anything is created.
func (r *runtimeConfig) check(publisher Publisher) error {
	if _, err := r.Bandwidth.request(); err != nil {
		return err
	}
	if publisher == nil && len(r.PortMappings) > 0 {
		return unsupported("portMappings", "this agent leads no ports of the host to containers")
	}
	_, err := r.mappings(nil)
	return err
}

// publish makes ports of the host lead to an attached container. If they cannot, it detaches the container again.
func (s *Server) publish(ctx context.Context, res *attach.Result, conf *Conf) error {
	ports, err := conf.Runtime.mappings(res.Addrs)
	if err != nil || len(ports) == 0 {
		return err
	}
	return s.Publisher.Publish(ctx, res.Endpoint.ID.String(), ports)
}

// checkPublished reports whether all ports that a runtime has requested lead to the container.
func (s *Server) checkPublished(res *attach.Result, conf *Conf) error {
	want, err := conf.Runtime.mappings(res.Addrs)
	if err != nil || len(want) == 0 {
		return err
	}
	have, err := s.Publisher.Published(res.Endpoint.ID.String())
	if err != nil {
		return types.NewError(types.ErrInternal, err.Error(), "")
	}
	for _, m := range want {
		why := "the host does not lead it there"
		for _, p := range have {
			if p.Protocol == link.ProtocolName(m.Protocol) && p.Host == m.Host && p.Container == m.Container {
				why = p.Why
			}
		}
		if why != "" {
			return types.NewError(types.ErrInternal, fmt.Sprintf("port %s: %s", m, why), "")
		}
	}
	return nil
}
