package docker

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/api/model"
)

// keyPortMap is the option with what was said with -p (package netlabel of libnetwork).
const keyPortMap = "com.docker.network.portmap"

// PortMapping is a port of a container that is to be reached at addresses of the host.
type PortMapping struct {
	Protocol uint8      // of IP: 6, 17, 132
	Port     uint16     // of the container
	HostIP   netip.Addr // unspecified: any of its family of the host's; invalid: any
	HostPort uint16     // 0: any that is free
	HostEnd  uint16     // last of several that will do; HostPort when it must be that one
}

// portBinding is a PortMapping as engines send it.
type portBinding struct {
	Proto                 uint8
	Port                  uint16
	HostIP                string
	HostPort, HostPortEnd uint16
}

// portsOf reads the ports to be published from options.
func portsOf(options map[string]any) ([]PortMapping, error) {
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
	var out []PortMapping
	for _, b := range bindings {
		m := PortMapping{Protocol: b.Proto, Port: b.Port, HostPort: b.HostPort, HostEnd: max(b.HostPort, b.HostPortEnd)}
		if b.HostIP != "" {
			if m.HostIP, err = netip.ParseAddr(b.HostIP); err != nil {
				return nil, model.Errorf(model.CodeInvalid, "Options."+keyPortMap, "%q is not an address of the host", b.HostIP)
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// publish makes ports of a container reachable at the host's addresses.
func (d *Driver) publish(ctx context.Context, q endpointRequest) (empty, error) {
	ports, err := portsOf(q.Options)
	if err != nil || len(ports) == 0 {
		return empty{}, err
	}
	if d.Publisher == nil {
		return empty{}, model.Errorf(model.CodeUnsupported, "Options."+keyPortMap, "published ports are not supported yet").
			Try("leave -p out, and reach the container at its own address or by a service: netctl service create")
	}
	res, err := d.Attacher.Find(ctx, q.EndpointID, ifName)
	if err != nil {
		return empty{}, fmt.Errorf("EndpointID: %w", err)
	}
	return empty{}, d.Publisher.Publish(ctx, res, ports)
}

// withdraw takes back what was published of an endpoint; one that is not known has nothing.
func (d *Driver) withdraw(ctx context.Context, q endpointRequest) (empty, error) {
	if d.Publisher == nil {
		return empty{}, nil
	}
	res, err := d.Attacher.Find(ctx, q.EndpointID, ifName)
	if err != nil {
		return empty{}, nil
	}
	return empty{}, d.Publisher.Withdraw(ctx, res.Endpoint.ID.String())
}
