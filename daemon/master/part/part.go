// SPDX-License-Identifier: Apache-2.0

// Package part describes one concern of a netmaster: its routes, what it runs, what it waits for, and its metrics. A netmaster is an ordered list of parts.
package part

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/task"
)

// Part is one concern of a netmaster. Each field may be empty.
type Part struct {
	Routes []func(r *rest.Router) // each adds routes with their access and bounds
	Tasks  []task.Task            // run as long as the netmaster has its store; it is ready when all are
	// Duties run beside each other in each term in which this process leads. The context of each ends with the term, and each returns then.
	Duties []func(ctx context.Context)
	// First join the first transaction of a term. They may be called more than once.
	First []func(tx *commit.Tx) error
	// Waiting each return what the netmaster lacks to do its duty, "" for nothing.
	Waiting []func() string
	Facts   []func(s *health.Snapshot) // each adds what the checks of the cluster examine
	Metrics []prometheus.Collector
}

// Join returns all parts as one, in their order.
func Join(parts ...Part) (all Part) {
	for _, p := range parts {
		all.Routes = append(all.Routes, p.Routes...)
		all.Tasks = append(all.Tasks, p.Tasks...)
		all.Duties = append(all.Duties, p.Duties...)
		all.First = append(all.First, p.First...)
		all.Waiting = append(all.Waiting, p.Waiting...)
		all.Facts = append(all.Facts, p.Facts...)
		all.Metrics = append(all.Metrics, p.Metrics...)
	}
	return all
}

// Missing names what the netmaster lacks to do its duty: what Waiting returns, and then the tasks that are not ready.
func (p *Part) Missing() (out []string) {
	for _, waiting := range p.Waiting {
		if what := waiting(); what != "" {
			out = append(out, what)
		}
	}
	return append(out, task.Waiting(p.Tasks...)...)
}

// Serves is a Part of routes only.
func Serves(routes ...func(r *rest.Router)) Part { return Part{Routes: routes} }

// Duty is a Part of duties only.
func Duty(duties ...func(ctx context.Context)) Part { return Part{Duties: duties} }

// Runs is a Part of tasks only.
func Runs(tasks ...task.Task) Part { return Part{Tasks: tasks} }

// Started returns a task that is ready at once.
func Started(name string, run func(ctx context.Context) error) task.Task {
	return task.Func(name, func(ctx context.Context, ready func()) error {
		ready()
		return run(ctx)
	})
}
