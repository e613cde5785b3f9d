// SPDX-License-Identifier: Apache-2.0

// Package docker is the agent's end of libnetwork's remote drivers: an HTTP service on a unix socket that turns the requests of a Docker
// engine to its network driver and its IPAM driver into attachments, addresses and records of Docker networks.
//
// State that outlasts a request is in the store, in the switch or, for networks that the agent keeps, in a Kept, since an engine sends most
// information only once. No handler calls the engine, which may be waiting for the answer.
package docker

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/link"
)

// DefaultName is the name of the driver, and of its socket.
const DefaultName = "netplugin"

// DefaultDir is the directory in which engines look for sockets of drivers.
const DefaultDir = "/run/docker/plugins"

// callTimeout bounds one operation. An engine waits without a limit, and its other requests wait with it; it waits 30 seconds for a driver
// that cannot be reached (pkg/plugins/client.go of moby).
const callTimeout = 25 * time.Second

// maxConnections is the maximum number of concurrent requests, above the number that an engine sends when it starts a host's containers.
const maxConnections = 1024

// Attacher is *attach.Engine.
type Attacher interface {
	Attach(ctx context.Context, r attach.Request) (attach.Result, error)
	Detach(ctx context.Context, container, ifname string) error
	Find(ctx context.Context, container, ifname string) (attach.Result, error)
	List() []attach.Attachment
}

// Master is the part of plugin.Master that the driver needs.
type Master interface {
	DockerPool(ctx context.Context, request model.DockerPoolRequest) (model.DockerPoolResponse, error)
	CreateDockerNetwork(ctx context.Context, request model.DockerNetworkRequest) (record.DockerNetwork, error)
	DeleteDockerNetwork(ctx context.Context, request model.DockerNetworkRemoval) error
	AllocAddress(ctx context.Context, request model.AllocAddressRequest) (model.AllocAddressResponse, error)
	ReleaseAddress(ctx context.Context, request model.ReleaseAddressRequest) error
}

// Networks resolves what a Docker network stands for.
type Networks interface {
	DockerNetwork(ctx context.Context, id string) (record.DockerNetwork, error)
}

// Kept is *dockerd.Kept: what the networks stand for that the agent keeps in the engine, without a record in the store. No method blocks.
type Kept interface {
	Find(id string) (record.DockerNetwork, bool)
	Add(d record.DockerNetwork)
	Remove(id string) (kept bool)
}

// Segments is the part of *desired.Engine that knows which networks and groups the cluster has.
type Segments interface {
	Segment(network identity.Network, group string) (record.Network, bool)
}

// Publisher is *hostaccess.Engine: it makes ports of the host lead to endpoints, and chooses those that are not given. Both operations may
// be repeated.
type Publisher interface {
	Accept(ctx context.Context, endpoint string, wishes []link.PortWish) error
	Unpublish(ctx context.Context, endpoint string) error
}

// Options are the dependencies of a Driver.
type Options struct {
	Socket    string // path of the unix socket; its name without ".sock" is the driver's
	Host      string // label of this host
	Global    bool   // networks belong to a whole swarm, and not to one engine
	Attacher  Attacher
	Master    Master
	Networks  Networks
	Kept      Kept     // nil: the agent keeps no networks in the engine, or they are of a whole swarm
	Segments  Segments // as Kept
	Publisher Publisher
	Starting  func() []string // what the agent still needs before it can work; empty once it has it
	Log       *slog.Logger
	Now       func() time.Time // nil: time.Now
}

// Driver is the service. It is a task.
type Driver struct {
	Options
	pools  *pools
	holds  *holds
	owed   *owed
	outage *outage
	ready  chan struct{}
	// readyTimeout is how long a request waits for the agent to be ready.
	readyTimeout time.Duration
}

// New returns a Driver; Run serves.
func New(o Options) *Driver {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Driver{Options: o, pools: newPools(o.Now), holds: newHolds(o.Now), owed: newOwed(), outage: &outage{now: o.Now}, ready: make(chan struct{}), readyTimeout: defaultReadyTimeout}
}

// String names the driver for logs.
func (d *Driver) String() string { return "Docker driver at " + d.Socket }

// Ready is closed once the socket is listened to.
func (d *Driver) Ready() <-chan struct{} { return d.ready }

// Run serves until ctx ends; requests in progress may finish within five seconds.
func (d *Driver) Run(ctx context.Context) error {
	l, err := httpserver.ListenUnix(d.Socket)
	if err != nil {
		return fmt.Errorf("driver for Docker (check --docker-agent-socket, --docker-plugins and --plugin-name): %w", err)
	}
	srv := httpserver.NewServer(d.Handler(), httpserver.Ordinary(), d.Log)
	close(d.ready)
	repaying, end := context.WithCancel(ctx)
	var repeats sync.WaitGroup
	repeats.Go(func() { d.retryDeletions(repaying) })
	defer repeats.Wait()
	defer end()
	return httpserver.Serve(ctx, srv, httpserver.NewConnections(maxConnections, 0).Listen(l))
}

// Handler is the service without its socket.
func (d *Driver) Handler() http.Handler {
	mux := http.NewServeMux()
	d.register(mux)
	ended := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mux.ServeHTTP(httpserver.Whole(w), r) })
	return httpserver.Recovered(d.Log, func() {}, ended)
}
