// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"net/netip"
	"time"
)

// Engine is the interface to a Docker engine. All requests block until it answers or ctx ends; each may be repeated.
type Engine interface {
	// Identity returns the engine's id, which is lost with its data, and its version.
	Identity(ctx context.Context) (Identity, error)
	// Ping returns nil if the engine answers.
	Ping(ctx context.Context) error
	// Events subscribes to events from a moment on. The first channel is not closed; the second one receives one error at the end of the
	// stream.
	Events(ctx context.Context, since time.Time) (<-chan Event, <-chan error)
	// Running lists the ids of running containers with an interface.
	Running(ctx context.Context) ([]string, error)
	// Container returns a container; ok is false if there is none with that id. It may wait for a starting container.
	Container(ctx context.Context, id string) (c Container, ok bool, err error)
	// Endpoints lists the engine's endpoints of all containers and all networks of a driver, in use or not.
	Endpoints(ctx context.Context, driver string) (map[string]struct{}, error)
	// Networks lists the engine's networks.
	Networks(ctx context.Context) ([]Network, error)
	CreateNetwork(ctx context.Context, name string, s Spec) error
	// RemoveNetwork removes the network with that id, unless containers have an interface on it. A missing one is success.
	RemoveNetwork(ctx context.Context, id string) error
	// Visible reports whether this process sees those of the engine's containers: it sees the process that listens at the engine's socket,
	// and theirs are in the same namespace of processes or below.
	Visible(ctx context.Context) (bool, error)
	Close() error
}

// Identity identifies an engine.
type Identity struct{ ID, Version string }

// Event describes a possible change of a container, or of networks.
type Event struct {
	Container string // id, or ""
	// Joined means that the container's interfaces have changed, which matters only while it runs.
	Joined bool
	// Network means that a network was added or removed, or that a container has left one.
	Network bool
}

// Container is a container as the engine has it.
type Container struct {
	ID         string
	Name       string // without the slash that the API puts before it
	Labels     map[string]string
	PID        int // on the host, 0 if it does not run
	Interfaces []Interface
}

// Interface is an endpoint of a container.
type Interface struct {
	Endpoint string // libnetwork's id, 64 hexadecimal digits
	Network  string // id
	Name     string // of the network
	Aliases  []string
}

// Network is a network of the engine.
type Network struct {
	ID, Name string
	Created  time.Time
	Internal bool // its containers get no gateway
	Spec
}

// Spec is the specification of a network.
type Spec struct {
	Driver, IPAM string            // names of the drivers
	Options      map[string]string // of the driver
	IPAMOptions  map[string]string
	Labels       map[string]string
	IPv6         bool
	Subnets      []Subnet
}

// Subnet is a range of addresses of a network.
type Subnet struct {
	Prefix  netip.Prefix
	Gateway netip.Addr // invalid: none was requested
}
