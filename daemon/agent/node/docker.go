package node

import (
	"context"
	"time"

	"github.com/contiv/contiv/daemon/agent/docker"
	"github.com/contiv/contiv/daemon/agent/dockerd"
	"github.com/contiv/contiv/daemon/task"
)

// engine is what the agent has to do with a Docker engine.
type engine struct {
	found   chan struct{} // closed when the host has one: from the start, unless that is to be found out
	watcher *dockerd.Watcher
	keeper  *dockerd.Keeper // nil: its networks are not kept
}

// appearEvery is how often the agent looks whether its host has a Docker engine by now.
const appearEvery = 2 * time.Second

// newEngine looks for the first time.
func newEngine(d *Docker) engine {
	e := engine{found: make(chan struct{})}
	if d.Plugin != "" && (!d.Sought || dockerd.There(d.Engine)) {
		close(e.found)
	}
	return e
}

// has reports whether the agent asks an engine.
func (e *engine) has() bool {
	select {
	case <-e.found:
		return true
	default:
		return false
	}
}

// Names of what runs the containers of a host, where the agent finds it out.
const (
	foundDocker = "docker"
	foundCNI    = "cni"
)

// mode is what runs the containers of the host, as the agent is configured or has found.
func (n *Node) mode() string {
	switch {
	case !n.Docker.Sought:
		return n.Mode
	case n.engine.has():
		return foundDocker
	}
	return foundCNI
}

// directory reports whether the host is to know the networks of all tenants, for its engine's.
func (n *Node) directory() bool { return n.Docker.Keep && n.engine.has() }

// dockerParts are the tasks about the host's Docker engine, none of which holds anything up, and with them comes the door of its drivers. They
// begin when the host has an engine.
func (n *Node) dockerParts() []task.Task {
	driver := docker.New(docker.Options{Socket: n.Docker.Plugin, Global: n.Docker.Global, Host: n.Host, Attacher: n.attach,
		Master: n.Master, Networks: n.desired, Publisher: n.access, Starting: n.starting, Log: n.Log})
	n.engine.watcher = dockerd.NewWatcher(func() (dockerd.Engine, error) { return dockerd.Dial(n.Docker.Engine) }, n.Log)
	parts := []task.Task{
		n.onceFound("Docker engine", n.engine.watcher.Run),
		n.onceServing("what Docker no longer has", dockerd.NewProver(n.engine.watcher, n.attach, n.Docker.Driver, n.Log).Run),
		n.onceServing("names of Docker's containers", dockerd.NewTeller(n.engine.watcher, n.Master, n.desired, n.Log).Run),
	}
	if !n.Docker.Global {
		parts = append(parts, n.onceServing("names of Docker's networks", dockerd.NewNamer(n.engine.watcher, n.Master, n.desired, n.Host, n.Log).Run))
	}
	if n.Docker.Keep {
		n.engine.keeper = dockerd.NewKeeper(n.engine.watcher, n.desired, n.Docker.Driver, n.Log)
		parts = append(parts, n.onceServing("Docker's networks", n.engine.keeper.Run))
	}
	if n.engine.has() {
		n.doors = append(n.doors, driver)
		return parts
	}
	return append(parts, n.onceFound(driver.String(), driver.Run), started("search for a Docker engine", n.findEngine))
}

// findEngine waits until the host has a Docker engine, which from then on the agent serves as if it had been there at the start.
func (n *Node) findEngine(ctx context.Context) error {
	if dockerd.Appear(ctx, n.Docker.Engine, appearEvery) {
		n.Log.Info("this host has a Docker engine: its networks are the cluster's from now on", "socket", n.Docker.Engine)
		close(n.engine.found)
		n.told.Again()
	}
	<-ctx.Done() // a part that ends, ends the agent
	return nil
}

// onceFound is a task that begins when the host has a Docker engine, and holds nothing up until then.
func (n *Node) onceFound(name string, run func(context.Context) error) task.Task {
	return started(name, func(ctx context.Context) error {
		select {
		case <-n.engine.found:
			return run(ctx)
		case <-ctx.Done():
			return nil
		}
	})
}

// onceServing is a task about a Docker engine that begins when the agent serves for the first time, and holds nothing up until then.
func (n *Node) onceServing(name string, run func(context.Context) error) task.Task {
	return n.onceFound(name, func(ctx context.Context) error {
		select {
		case <-n.ready:
			return run(ctx)
		case <-ctx.Done():
			return nil
		}
	})
}
