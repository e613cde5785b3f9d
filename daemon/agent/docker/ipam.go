// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"crypto/rand"
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// The options of a request for an address (package ipamapi of libnetwork). A swarm's manager requests addresses one after the other
// (package cnmallocator), for the virtual address of a service and for a task alike; engines never do.
const (
	keyAddressType = "RequestAddressType"
	typeGateway    = "com.docker.network.gateway"
	keySerial      = "com.docker.network.ipam.serial"
)

// holdSeconds is how long an address is held from its request until the creation of its endpoint, which an engine requests at once.
const holdSeconds = 30

func (d *Driver) requestPool(ctx context.Context, q requestPoolRequest) (requestPoolResponse, error) {
	p, err := d.Master.DockerPool(ctx, model.DockerPoolRequest{Pool: q.Pool, SubPool: q.SubPool, Options: q.Options, V6: q.V6})
	if err != nil {
		return requestPoolResponse{}, err
	}
	return d.given(p), nil
}

// given is the answer for a pool, which it remembers.
func (d *Driver) given(p model.DockerPoolResponse) requestPoolResponse {
	d.pools.add(p.PoolID)
	out := requestPoolResponse{PoolID: p.PoolID, Pool: p.Pool, Data: map[string]string{}}
	if p.Gateway != "" {
		out.Data[keyGateway] = p.Gateway
	}
	return out
}

func (d *Driver) requestAddress(ctx context.Context, q requestAddressRequest) (requestAddressResponse, error) {
	pool, err := identity.ParsePool(q.PoolID)
	if err != nil {
		return requestAddressResponse{}, model.Errorf(model.CodeInvalid, "PoolID", "%v", err).Try("remove the Docker network and create it again")
	}
	if q.Options[keyAddressType] == typeGateway {
		a, err := d.gateway(ctx, pool, q.Address)
		return requestAddressResponse{Address: a}, err
	}
	manager := d.Global && q.Options[keySerial] != ""
	if d.Global && !manager && q.Address != "" {
		return tasks(pool, q.Address)
	}
	request := model.AllocAddressRequest{NetworkID: q.PoolID, PreferredIPv4Address: q.Address, By: d.Host, Token: rand.Text(), Seconds: holdSeconds, Swarm: manager}
	a, err := d.Master.AllocAddress(ctx, request)
	if err != nil {
		return requestAddressResponse{}, err
	}
	if !manager {
		d.holds.asked(pool, a.IPv4Address, request.Token)
	}
	return requestAddressResponse{Address: a.IPv4Address}, nil
}

// tasks is the answer to a task's host, which requests the address that a manager has got for the task: the creation of its endpoint
// decides whether the task gets it.
func tasks(pool identity.Pool, address string) (requestAddressResponse, error) {
	a, err := netip.ParseAddr(address)
	if err != nil || !pool.Subnet.Contains(a) {
		return requestAddressResponse{}, model.Errorf(model.CodeInvalid, "Address", "%q is not an address of subnet %s", address, pool.Subnet)
	}
	return requestAddressResponse{Address: netip.PrefixFrom(a, pool.Subnet.Bits()).String()}, nil
}

// gateway returns the address that an engine uses as a network's gateway: the network's. A network without one uses the address of the
// subnet itself, which no one else can have; its containers do not receive it. For a network that does not exist yet it is the requested
// one, or the first.
func (d *Driver) gateway(ctx context.Context, pool identity.Pool, wanted string) (string, error) {
	options := map[string]string{"tenant": pool.Network.Tenant, "network": pool.Network.Name, "group": pool.Group}
	p, err := d.Master.DockerPool(ctx, model.DockerPoolRequest{Pool: pool.Subnet.String(), Options: options, V6: pool.Subnet.Addr().Is6()})
	if err != nil {
		return "", err
	}
	return gatewayOf(pool, p, wanted)
}

// gatewayOf is gateway, by what is known of the pool.
func gatewayOf(pool identity.Pool, p model.DockerPoolResponse, wanted string) (string, error) {
	have, err := netip.ParsePrefix(p.Gateway)
	if wanted == "" {
		switch {
		case err == nil:
			return have.String(), nil
		case p.Exists:
			return pool.Subnet.String(), nil
		}
		return netip.PrefixFrom(pool.Subnet.Addr().Next(), pool.Subnet.Bits()).String(), nil
	}
	a, bad := netip.ParseAddr(wanted)
	switch {
	case bad != nil || !pool.Subnet.Contains(a):
		return "", model.Errorf(model.CodeInvalid, "Address", "gateway %q is not an address of subnet %s", wanted, pool.Subnet)
	case p.Exists && (err != nil || have.Addr() != a):
		own := "it has none"
		if err == nil {
			own = "it is " + have.Addr().String()
		}
		return "", model.Errorf(model.CodeConflict, "Address", "%s is not the gateway of network %s", a, pool.Network).Try("%s; leave --gateway out", own)
	}
	return netip.PrefixFrom(a, pool.Subnet.Bits()).String(), nil
}

// releaseAddress releases an address that was requested and not used. The address of an endpoint was released with it, and may belong to
// another by now.
func (d *Driver) releaseAddress(ctx context.Context, q releaseAddressRequest) (empty, error) {
	pool, err := identity.ParsePool(q.PoolID)
	if err != nil {
		return empty{}, nil // no address was ever held in it
	}
	token, ended := d.holds.released(pool.Network.Tenant, q.Address)
	if d.Global && token == "" && !ended {
		token = model.SwarmToken
	}
	if token == "" {
		return empty{}, nil
	}
	return empty{}, d.Master.ReleaseAddress(ctx, model.ReleaseAddressRequest{NetworkID: q.PoolID, IPv4Address: q.Address, Token: token})
}
