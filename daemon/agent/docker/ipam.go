package docker

import (
	"context"
	"crypto/rand"
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// The option of a request for a gateway's address (package ipamapi of libnetwork).
const (
	keyAddressType = "RequestAddressType"
	typeGateway    = "com.docker.network.gateway"
)

// holdSeconds is how long an address is held from the request for it until the endpoint that gets it, which an engine asks for at once. In a
// swarm a manager asks for the address, and a task may take long to come to its host: there it is as long as the master's own limit.
const holdSeconds = 30

// swarm is who asks for addresses in a swarm, where the manager and the task's host ask one after the other.
const swarm = "a swarm"

func (d *Driver) requestPool(ctx context.Context, q requestPoolRequest) (requestPoolResponse, error) {
	p, err := d.Master.DockerPool(ctx, model.DockerPoolRequest{Pool: q.Pool, SubPool: q.SubPool, Options: q.Options, V6: q.V6})
	if err != nil {
		return requestPoolResponse{}, err
	}
	d.pools.note(p.PoolID)
	out := requestPoolResponse{PoolID: p.PoolID, Pool: p.Pool, Data: map[string]string{}}
	if p.Gateway != "" {
		out.Data[keyGateway] = p.Gateway
	}
	return out, nil
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
	request := model.AllocAddressRequest{NetworkID: q.PoolID, PreferredIPv4Address: q.Address, By: d.Host, Token: rand.Text(), Seconds: holdSeconds}
	if d.Global {
		request.By, request.Seconds = swarm, 0
	}
	a, err := d.Master.AllocAddress(ctx, request)
	if err != nil {
		return requestAddressResponse{}, err
	}
	d.holds.asked(pool, a.IPv4Address, request.Token)
	return requestAddressResponse{Address: a.IPv4Address}, nil
}

// gateway is the address that an engine takes for a network's gateway: the network's. In its place a network without one gets the address of
// the subnet itself, which no one else can have; its containers hear of none. Of a network that is still to be made it is the wanted one, or
// the first.
func (d *Driver) gateway(ctx context.Context, pool identity.Pool, wanted string) (string, error) {
	options := map[string]string{"tenant": pool.Network.Tenant, "network": pool.Network.Name, "group": pool.Group}
	p, err := d.Master.DockerPool(ctx, model.DockerPoolRequest{Pool: pool.Subnet.String(), Options: options, V6: pool.Subnet.Addr().Is6()})
	if err != nil {
		return "", err
	}
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

// releaseAddress gives an address back that was asked for and came to nothing. One that an endpoint has had went with that, and may be someone
// else's by now.
func (d *Driver) releaseAddress(ctx context.Context, q releaseAddressRequest) (empty, error) {
	pool, err := identity.ParsePool(q.PoolID)
	if err != nil {
		return empty{}, nil // nothing was ever held in it
	}
	token := d.holds.released(pool.Network.Tenant, q.Address)
	if token == "" {
		return empty{}, nil
	}
	return empty{}, d.Master.ReleaseAddress(ctx, model.ReleaseAddressRequest{NetworkID: q.PoolID, IPv4Address: q.Address, Token: token})
}
