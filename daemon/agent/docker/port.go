// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/link"
)

// keyPortMap is the option with the ports given with -p (package netlabel of libnetwork).
const keyPortMap = "com.docker.network.portmap"

// portBinding is a port of a container and the port of the host for it, in the engine's format.
type portBinding struct {
	Proto                 uint8 // of IP
	Port                  uint16
	HostIP                string
	HostPort, HostPortEnd uint16
}

// portsOf reads the ports to be published from options. It leaves an unspecified port of the host, or a range, to be chosen.
func portsOf(options map[string]any) (out []link.PortWish, err error) {
	value := options[keyPortMap]
	if value == nil {
		return nil, nil
	}
	text, err := json.Marshal(value)
	var bindings []portBinding
	if err == nil {
		err = json.Unmarshal(text, &bindings)
	}
	if err != nil {
		return nil, model.Errorf(model.CodeInvalid, "Options."+keyPortMap, "%v", err)
	}
	for _, b := range bindings {
		if b.Port == 0 {
			return nil, model.Errorf(model.CodeInvalid, "Options."+keyPortMap, "got port 0 of the container, want one that it has").Try("docker run -p 8080:80")
		}
		addresses := []netip.Addr{netip.IPv4Unspecified(), netip.IPv6Unspecified()}
		if b.HostIP != "" {
			one, err := netip.ParseAddr(b.HostIP)
			if err != nil {
				return nil, model.Errorf(model.CodeInvalid, "Options."+keyPortMap, "%q is not an address of the host", b.HostIP)
			}
			addresses = []netip.Addr{one.Unmap().WithZone("")}
		}
		for _, a := range addresses {
			wish := link.PortMapping{Protocol: b.Proto, Host: netip.AddrPortFrom(a, b.HostPort), Container: b.Port}.Wish()
			wish.Last = max(wish.Last, b.HostPortEnd)
			out = append(out, wish)
		}
	}
	slices.SortFunc(out, func(a, b link.PortWish) int { // engines send them in any order
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), a.Host.Compare(b.Host), cmp.Compare(a.Container, b.Container), cmp.Compare(a.Last, b.Last))
	})
	return slices.Compact(out), nil
}

// publish makes ports of the host lead to an endpoint. An engine sends it for the endpoint that has the container's default route, and has
// withdrawn the ports of the previous one: if it connects a running container, a refusal leaves the container without a default route and
// without its ports. So ports that the network does not permit are accepted, and reported.
func (d *Driver) publish(ctx context.Context, q endpointRequest) (empty, error) {
	ports, err := portsOf(q.Options)
	if err != nil || len(ports) == 0 {
		return empty{}, err
	}
	res, err := d.Attacher.Find(ctx, q.EndpointID, ifName)
	if err != nil {
		return empty{}, fmt.Errorf("EndpointID: %w", err)
	}
	return empty{}, d.Publisher.Accept(ctx, res.Endpoint.ID.String(), ports)
}

// unpublish withdraws the published ports of an endpoint; an unknown one has none.
func (d *Driver) unpublish(ctx context.Context, q endpointRequest) (empty, error) {
	res, err := d.Attacher.Find(ctx, q.EndpointID, ifName)
	if err != nil {
		return empty{}, nil
	}
	return empty{}, d.Publisher.Unpublish(ctx, res.Endpoint.ID.String())
}
