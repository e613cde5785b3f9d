// SPDX-License-Identifier: Apache-2.0

// Package dockerhost serves the Docker engine of a host, now or when it appears: its network and IPAM drivers, and the agent's requests to
// the engine.
package dockerhost

import (
	"context"
	"log/slog"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/agent/docker"
	"github.com/contiv/contiv/daemon/agent/dockerd"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/task"
)

// Engine is the Docker engine of a host, which may appear later. It is safe for concurrent use.
type Engine struct {
	Driver
	found    chan struct{}          // closed when the host has one: from the start, unless the agent searches for it
	watcher  *dockerd.Watcher       // nil: no engine is used
	networks *dockerd.NetworkSyncer // nil: its networks are not maintained
}

// searchInterval is the time between two searches for a Docker engine.
const searchInterval = 2 * time.Second

// New searches for an engine once.
func New(d Driver) *Engine {
	e := &Engine{Driver: d, found: make(chan struct{})}
	if d.Plugin != "" && (!d.Sought || dockerd.There(d.Engine)) {
		close(e.found)
	}
	return e
}

// Found reports whether the agent uses an engine.
func (e *Engine) Found() bool {
	select {
	case <-e.found:
		return true
	default:
		return false
	}
}

// Names of container runtimes, if the agent determines the runtime.
const (
	foundDocker = "docker"
	foundCNI    = "cni"
)

// Mode returns the container runtime of the host: configured, unless the agent must determine it.
func (e *Engine) Mode(configured string) string {
	switch {
	case !e.Sought:
		return configured
	case e.Found():
		return foundDocker
	}
	return foundCNI
}

// Directory reports whether the host needs the networks of all tenants, for those of its engine.
func (e *Engine) Directory() bool { return e.Keep && e.Found() }

// Status returns the state of the engine, nil if none is used.
func (e *Engine) Status() *model.DockerStatus {
	if !e.Found() {
		return nil
	}
	return dockerd.Status(e.watcher, e.networks)
}

// Master has the requests of an engine and its drivers to netmasters.
type Master interface {
	docker.Master
	dockerd.Master
	dockerd.NamingMaster
}

// Options configure the Docker service.
type Options struct {
	Host     string // label
	Attach   *attach.Engine
	Access   *hostaccess.Engine
	Records  *desired.Engine
	Master   Master
	Starting func() []string // what the agent lacks to serve a container
	Serving  <-chan struct{} // closed when the agent is ready
	Appeared func()          // called when the host gets an engine
	Log      *slog.Logger
}

// Part returns the tasks for the engine, on which nothing else waits, and the socket of its drivers. They start when the host has an
// engine. It must be called once.
func (e *Engine) Part(o Options) (p part.Part) {
	if e.Plugin == "" {
		return p
	}
	e.watcher = dockerd.NewWatcher(func() (dockerd.Engine, error) { return dockerd.Dial(e.Engine) }, o.Log)
	options := docker.Options{Socket: e.Plugin, Global: e.Global, Host: o.Host, Attacher: o.Attach,
		Master: o.Master, Networks: o.Records, Publisher: o.Access, Starting: o.Starting, Log: o.Log}
	if e.Keep && !e.Global { // a swarm's managers keep records of its networks
		kept := dockerd.NewKept(e.watcher, e.Name, o.Host, dockerd.KeptFile(e.Kept), o.Log)
		options.Kept, options.Segments = kept, o.Records
		p.Tasks = append(p.Tasks, e.onceFound("Docker's networks of the agent", kept.Run), e.onceFound("records of Docker's networks by earlier builds",
			part.Await(o.Serving, dockerd.NewMigration(kept, o.Master, o.Records, o.Host, o.Log).Run)))
	}
	driver := docker.New(options)
	p.Tasks = append(p.Tasks,
		e.onceFound("Docker engine", e.watcher.Run),
		e.onceFound("what Docker no longer has", part.Await(o.Serving, dockerd.NewOrphanDetector(e.watcher, o.Attach, e.Name, o.Log).Run)),
		e.onceFound("names of Docker's containers", part.Await(o.Serving, dockerd.NewEndpointSyncer(e.watcher, o.Master, o.Records, o.Log).Run)),
	)
	if !e.Global {
		p.Tasks = append(p.Tasks, e.onceFound("names of Docker's networks", part.Await(o.Serving, dockerd.NewNamer(e.watcher, o.Master, o.Records, o.Host, o.Log).Run)))
	}
	if e.Keep {
		e.networks = dockerd.NewNetworkSyncer(e.watcher, o.Records, e.Name, o.Log)
		p.Tasks = append(p.Tasks, e.onceFound("Docker's networks", part.Await(o.Serving, e.networks.Run)))
	}
	if e.Found() {
		p.Doors = append(p.Doors, driver)
		return p
	}
	p.Tasks = append(p.Tasks, e.onceFound(driver.String(), driver.Run), part.Started("search for a Docker engine", func(ctx context.Context) error {
		e.search(ctx, o.Appeared, o.Log)
		return nil
	}))
	return p
}

// search waits until the host has a Docker engine, which the agent then serves as if it had existed at the start. It blocks until ctx ends.
func (e *Engine) search(ctx context.Context, appeared func(), log *slog.Logger) {
	if dockerd.Appear(ctx, e.Engine, searchInterval) {
		log.Info("found a Docker engine: the cluster manages its networks", "socket", e.Engine)
		close(e.found)
		appeared()
	}
	<-ctx.Done() // a task that ends would end the agent
}

// onceFound returns a task that starts when the host has a Docker engine, and on which nothing else waits.
func (e *Engine) onceFound(name string, run func(context.Context) error) task.Task {
	return part.Started(name, part.Await(e.found, run))
}
