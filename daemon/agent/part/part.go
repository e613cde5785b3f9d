// SPDX-License-Identifier: Apache-2.0

// Package part describes one concern of an agent: what the agent runs, checks and repairs for it. An agent is an ordered list of parts.
package part

import (
	"context"

	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/daemon/task"
)

// Part is one concern of an agent. Each field may be empty.
type Part struct {
	Tasks  []task.Task    // run as long as the agent does
	Doors  []task.Task    // tasks that serve requests: the agent is ready when all of them are
	Checks []check.Check  // of the host
	Owned  []drift.Source // what the agent keeps as it is, in the order of repairs
}

// Join returns all parts as one, in their order.
func Join(parts ...Part) (all Part) {
	for _, p := range parts {
		all.Tasks = append(all.Tasks, p.Tasks...)
		all.Doors = append(all.Doors, p.Doors...)
		all.Checks = append(all.Checks, p.Checks...)
		all.Owned = append(all.Owned, p.Owned...)
	}
	return all
}

// Started returns a task that is ready at once.
func Started(name string, run func(context.Context) error) task.Task {
	return task.Func(name, func(ctx context.Context, ready func()) error {
		ready()
		return run(ctx)
	})
}

// After returns a task that runs once stage is closed, and is ready then. It returns nil when its context ends before.
func After(stage <-chan struct{}, name string, run func(context.Context) error) task.Task {
	return task.Func(name, func(ctx context.Context, ready func()) error {
		return Await(stage, func(ctx context.Context) error {
			ready()
			return run(ctx)
		})(ctx)
	})
}

// Await returns run that first blocks until stage is closed. It returns nil when its context ends before.
func Await(stage <-chan struct{}, run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-stage:
			return run(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}

// Stages are the steps of an agent's start that parts wait for. Each is closed when the step is done.
type Stages struct {
	Prepared <-chan struct{} // the switch has the bridge and its fixed ports
	Synced   <-chan struct{} // all records are known, and the first flows are on their way
	Serving  <-chan struct{} // the agent is ready
}

// AfterPreparation returns a task that runs when the switch is prepared.
func (s *Stages) AfterPreparation(name string, run func(context.Context) error) task.Task {
	return After(s.Prepared, name, run)
}

// AfterSync returns a task that runs when the switch is prepared and all records are known. It is ready when the switch is prepared.
func (s *Stages) AfterSync(name string, run func(context.Context) error) task.Task {
	return After(s.Prepared, name, Await(s.Synced, run))
}
