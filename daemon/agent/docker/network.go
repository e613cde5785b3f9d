// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"fmt"
	"maps"
	"net/netip"

	"github.com/contiv/contiv/api/model"
)

// Keys of a network's options (package netlabel of libnetwork).
const (
	keyGeneric  = "com.docker.network.generic" // the options given with -o
	keyInternal = "com.docker.network.internal"
	keyGateway  = "com.docker.network.gateway"
)

// capable describes the network driver.
func capable(global bool) capabilities {
	if global {
		return capabilities{Scope: "global", ConnectivityScope: "global"}
	}
	return capabilities{Scope: "local", ConnectivityScope: "global"}
}

// createNetwork stores what a network of this engine stands for. In a swarm the manager has done so before, and each engine that gets a
// task on the network repeats it.
func (d *Driver) createNetwork(ctx context.Context, q networkRequest) (empty, error) {
	if d.Global {
		_, err := d.network(ctx, q.NetworkID)
		return empty{}, err
	}
	return empty{}, d.putNetwork(ctx, q, d.Host)
}

// deleteNetwork deletes it. A network of a swarm exists until the swarm deletes it.
func (d *Driver) deleteNetwork(ctx context.Context, q networkID) (empty, error) {
	if d.Global {
		return empty{}, nil
	}
	return empty{}, d.Master.DeleteDockerNetwork(ctx, model.DockerNetworkRemoval{ID: q.NetworkID, Host: d.Host})
}

// allocateNetwork is called once for a whole swarm, by a manager. The engines get its answer as options of the network.
func (d *Driver) allocateNetwork(ctx context.Context, q networkRequest) (allocateNetworkResponse, error) {
	return allocateNetworkResponse{Options: texts(q.Options)}, d.putNetwork(ctx, q, "")
}

func (d *Driver) freeNetwork(ctx context.Context, q networkID) (empty, error) {
	return empty{}, d.Master.DeleteDockerNetwork(ctx, model.DockerNetworkRemoval{ID: q.NetworkID})
}

// putNetwork sends the master what a network stands for.
func (d *Driver) putNetwork(ctx context.Context, q networkRequest, host string) error {
	request, err := networkOf(q, host == "")
	if err != nil {
		return err
	}
	request.Host = host
	for _, p := range request.Pools {
		request.Requested = append(request.Requested, d.pools.requested(p.Subnet)...)
	}
	made, err := d.Master.CreateDockerNetwork(ctx, request)
	if err != nil {
		return err
	}
	d.pools.made(made)
	return nil
}

// networkOf parses a request about a network. The manager of a swarm does not include the owner of the addresses.
func networkOf(q networkRequest, swarm bool) (out model.DockerNetworkRequest, err error) {
	if q.NetworkID == "" {
		return out, model.Errorf(model.CodeInvalid, "NetworkID", "it is missing")
	}
	out = model.DockerNetworkRequest{ID: q.NetworkID, Options: options(q.Options), Internal: isTrue(q.Options[keyInternal])}
	for _, data := range append(q.IPv4Data[:len(q.IPv4Data):len(q.IPv4Data)], q.IPv6Data...) {
		if data.AddressSpace != addressSpace && !(swarm && data.AddressSpace == "") {
			return out, model.Errorf(model.CodeInvalid, "IPv4Data.AddressSpace", "addresses of another IPAM driver cannot be used").
				Try("give docker network create --ipam-driver with the same name as --driver")
		}
		if len(data.AuxAddresses) > 0 {
			return out, model.Errorf(model.CodeUnsupported, "IPv4Data.AuxAddresses", "a Docker network cannot keep addresses from all others").
				Try("leave --aux-address out, and use: netctl ip quarantine --network NETWORK ADDRESS")
		}
		p, err := netip.ParsePrefix(data.Pool)
		if err != nil {
			return out, model.Errorf(model.CodeInvalid, "IPv4Data.Pool", "%q is not a subnet", data.Pool)
		}
		pool := model.DockerPool{Subnet: p.Masked().String()}
		if gateway, err := netip.ParsePrefix(data.Gateway); err == nil && gateway.Addr() != p.Masked().Addr() {
			pool.Gateway = gateway.Addr().String()
		}
		out.Pools = append(out.Pools, pool)
	}
	return out, nil
}

// options returns those given with -o. A swarm has them beside its own.
func options(all map[string]any) map[string]string {
	out := texts(all)
	if generic, ok := all[keyGeneric].(map[string]any); ok {
		maps.Copy(out, texts(generic))
	}
	return out
}

// texts returns the options that are strings.
func texts(all map[string]any) map[string]string {
	out := map[string]string{}
	for name, value := range all {
		if text, ok := value.(string); ok {
			out[name] = text
		}
	}
	return out
}

func isTrue(v any) bool { return fmt.Sprint(v) == "true" }
