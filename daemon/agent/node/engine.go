package node

import (
	"context"

	"github.com/contiv/contiv/daemon/agent/dockerd"
	"github.com/contiv/contiv/daemon/task"
)

// engine is what the agent has to do with a Docker engine.
type engine struct {
	watcher *dockerd.Watcher
	keeper  *dockerd.Keeper // nil: its networks are not kept
}

// engineParts are the tasks about the host's Docker engine. None of them holds anything up.
func (n *Node) engineParts() []task.Task {
	if n.Engine.Socket == "" {
		return nil
	}
	n.engine.watcher = dockerd.NewWatcher(func() (dockerd.Engine, error) { return dockerd.Dial(n.Engine.Socket) }, n.Log)
	parts := []task.Task{
		task.Func("Docker engine", func(ctx context.Context, ready func()) error {
			ready()
			return n.engine.watcher.Run(ctx)
		}),
		n.onceServing("what Docker no longer has", dockerd.NewProver(n.engine.watcher, n.attach, n.Engine.Driver, n.Log).Run),
	}
	if m, ok := n.Master.(dockerd.Master); ok {
		parts = append(parts, n.onceServing("names of Docker's containers", dockerd.NewTeller(n.engine.watcher, m, n.desired, n.Log).Run))
	}
	if n.Engine.Keep {
		n.engine.keeper = dockerd.NewKeeper(n.engine.watcher, n.desired, n.Engine.Driver, n.Log)
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
