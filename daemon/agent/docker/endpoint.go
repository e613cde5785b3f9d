// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/record"
)

// ifName is the name of an endpoint's interface until the engine renames it: with this name an attachment's endpoint is named after its
// container, which is the engine's endpoint id.
const ifName = "eth0"

// Owner returns the owner of the attachments of a Docker network, in the form of attach.Attachment.Owner.
func Owner(network string) string { return "docker/" + network }

// releaseTimeout bounds the release of a held address that no endpoint got.
const releaseTimeout = 3 * time.Second

// network resolves what a Docker network stands for.
func (d *Driver) network(ctx context.Context, id string) (record.DockerNetwork, error) {
	if n, kept := d.kept(id); kept {
		return n, nil
	}
	n, err := d.Networks.DockerNetwork(ctx, id)
	if err != nil {
		if n, kept := d.kept(id); kept { // the engine has said it meanwhile
			return n, nil
		}
		return n, fmt.Errorf("NetworkID: Docker network %s: %w (remove it with docker network rm and create it again; netctl docknet ls shows which are known)", id, err)
	}
	return n, nil
}

// createEndpoint attaches the container except for what libnetwork does itself: moving the container's end into its namespace and giving it
// its addresses and routes.
func (d *Driver) createEndpoint(ctx context.Context, q endpointRequest) (createEndpointResponse, error) {
	if q.EndpointID == "" || q.Interface == nil {
		return createEndpointResponse{}, model.Errorf(model.CodeInvalid, "EndpointID", "it is missing, or Interface is")
	}
	n, err := d.network(ctx, q.NetworkID)
	if err != nil {
		return createEndpointResponse{}, err
	}
	res, err := d.attach(ctx, q, n)
	for _, address := range []string{q.Interface.Address, q.Interface.AddressIPv6} {
		one, held := d.holds.taken(n.Network.Tenant, address)
		if err == nil || address == "" {
			continue
		}
		d.holds.deleted(n.Network.Tenant, placeOf(n.Network.Tenant, address).address) // the engine will also release it
		if held {
			d.giveBack(ctx, one, address)
		}
	}
	if err != nil {
		return createEndpointResponse{}, err
	}
	return createEndpointResponse{Interface: missingInfo(&res, q.Interface)}, nil
}

func (d *Driver) attach(ctx context.Context, q endpointRequest, n record.DockerNetwork) (attach.Result, error) {
	r := attach.Request{ContainerID: q.EndpointID, IfName: ifName, Handed: true, Tenant: n.Network.Tenant, Network: n.Network.Name, Group: n.Group,
		MAC: q.Interface.MacAddress, Owner: Owner(n.ID), DockerNetwork: n.ID,
		Tokens: d.holds.tokensOf(n.Network.Tenant, q.Interface.Address, q.Interface.AddressIPv6)}
	if d.Global {
		r.Tokens = append(r.Tokens, model.SwarmToken)
	}
	for _, f := range []struct {
		field, text string
		to          *string
	}{{"Interface.Address", q.Interface.Address, &r.IPv4}, {"Interface.AddressIPv6", q.Interface.AddressIPv6, &r.IPv6}} {
		if f.text == "" {
			continue
		}
		p, err := netip.ParsePrefix(f.text)
		if err != nil {
			return attach.Result{}, model.Errorf(model.CodeInvalid, f.field, "%q is not an address with its length", f.text)
		}
		*f.to = p.Addr().String()
	}
	return d.Attacher.Attach(ctx, r)
}

// giveBack releases an address that no endpoint got. It works even if the time for the request is over.
func (d *Driver) giveBack(ctx context.Context, one held, address string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := d.Master.ReleaseAddress(ctx, model.ReleaseAddressRequest{NetworkID: one.pool, IPv4Address: address, Token: one.token}); err != nil {
		d.Log.Info("an address stays held until it expires", "address", address, "error", err)
	}
}

// missingInfo returns what the engine does not know of the interface: it refuses to receive its own values again.
func missingInfo(res *attach.Result, known *endpointInterface) (out endpointInterface) {
	if known.MacAddress == "" {
		out.MacAddress = res.MAC.String()
	}
	for _, a := range res.Addrs {
		switch {
		case a.Addr().Is4() && known.Address == "":
			out.Address = a.String()
		case a.Addr().Is6() && known.AddressIPv6 == "":
			out.AddressIPv6 = a.String()
		}
	}
	return out
}

// deleteEndpoint removes an endpoint; an unknown one is success. The engine will release its addresses, which are deleted with it.
func (d *Driver) deleteEndpoint(ctx context.Context, q endpointRequest) (empty, error) {
	if q.EndpointID == "" {
		return empty{}, model.Errorf(model.CodeInvalid, "EndpointID", "it is missing")
	}
	res, err := d.Attacher.Find(ctx, q.EndpointID, ifName)
	if err == nil {
		var had []netip.Addr
		for _, a := range res.Addrs {
			had = append(had, a.Addr())
		}
		d.holds.deleted(res.Endpoint.ID.Tenant, had...)
	} else {
		n, kept := d.kept(q.NetworkID)
		if !kept {
			n, _ = d.Networks.DockerNetwork(ctx, q.NetworkID)
		}
		d.holds.deleted(n.Network.Tenant)
	}
	return empty{}, d.removeEndpoint(ctx, q.EndpointID)
}

// removeEndpoint removes an endpoint with its published ports. It may be repeated.
func (d *Driver) removeEndpoint(ctx context.Context, endpoint string) error {
	if res, err := d.Attacher.Find(ctx, endpoint, ifName); err == nil {
		if err := d.Publisher.Unpublish(ctx, res.Endpoint.ID.String()); err != nil {
			return err
		}
	}
	return d.Attacher.Detach(ctx, endpoint, ifName)
}

// operInfo returns information for operators.
func (d *Driver) operInfo(ctx context.Context, q endpointRequest) (operInfoResponse, error) {
	res, err := d.Attacher.Find(ctx, q.EndpointID, ifName)
	if errors.Is(err, attach.ErrUnknown) {
		return operInfoResponse{Value: map[string]any{}}, nil
	}
	if err != nil {
		return operInfoResponse{}, err
	}
	ep := res.Endpoint
	info := map[string]any{"io.contiv.endpoint": ep.ID.String(), "io.contiv.tenant": ep.ID.Tenant, "io.contiv.network": ep.ID.Name,
		"io.contiv.host": ep.Host, "io.contiv.interface": res.HostName, "io.contiv.ofport": res.OFPort, "io.contiv.mtu": res.MTU,
		"com.docker.network.endpoint.macaddress": res.MAC.String()}
	if !ep.Group.IsZero() {
		info["io.contiv.group"] = ep.Group.Name
	}
	return operInfoResponse{Value: info}, nil
}
