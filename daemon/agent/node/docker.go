package node

import (
	"context"

	"github.com/contiv/contiv/daemon/agent/docker"
	"github.com/contiv/contiv/daemon/agent/dockerd"
	"github.com/contiv/contiv/daemon/task"
)

// engine is what the agent has to do with a Docker engine.
type engine struct {
	watcher *dockerd.Watcher
	keeper  *dockerd.Keeper // nil: its networks are not kept
}

// dockerParts are the tasks about the host's Docker engine, none of which holds anything up, and with them comes the door of its drivers.
func (n *Node) dockerParts() []task.Task {
	n.doors = append(n.doors, docker.New(docker.Options{Socket: n.Docker.Plugin, Global: n.Docker.Global, Host: n.Host, Attacher: n.attach,
		Master: n.Master, Networks: n.desired, Publisher: n.access, Starting: n.starting, Log: n.Log}))
	n.engine.watcher = dockerd.NewWatcher(func() (dockerd.Engine, error) { return dockerd.Dial(n.Docker.Engine) }, n.Log)
	parts := []task.Task{
		task.Func("Docker engine", func(ctx context.Context, ready func()) error {
			ready()
			return n.engine.watcher.Run(ctx)
		}),
		n.onceServing("what Docker no longer has", dockerd.NewProver(n.engine.watcher, n.attach, n.Docker.Driver, n.Log).Run),
		n.onceServing("names of Docker's containers", dockerd.NewTeller(n.engine.watcher, n.Master, n.desired, n.Log).Run),
	}
	if n.Docker.Keep {
		n.engine.keeper = dockerd.NewKeeper(n.engine.watcher, n.desired, n.Docker.Driver, n.Log)
		parts = append(parts, n.onceServing("Docker's networks", n.engine.keeper.Run))
	}
	return parts
}

// onceServing is a task that begins when the agent serves for the first time, and holds nothing up until then.
func (n *Node) onceServing(name string, run func(context.Context) error) task.Task {
	return task.Func(name, func(ctx context.Context, ready func()) error {
		ready()
		select {
		case <-n.ready:
			return run(ctx)
		case <-ctx.Done():
			return nil
		}
	})
}
