// Package part describes one concern of a netmaster: what it runs, and what it does while this process leads. A netmaster is an ordered list of parts.
package part

import (
	"context"

	"github.com/contiv/contiv/daemon/task"
)

// Part is one concern of a netmaster. Each field may be empty.
type Part struct {
	Tasks []task.Task // run as long as the netmaster has its store
	// Duties run beside each other in each term in which this process leads. The context of each ends with the term, and each returns then.
	Duties []func(ctx context.Context)
}

// Join returns all parts as one, in their order.
func Join(parts ...Part) (all Part) {
	for _, p := range parts {
		all.Tasks = append(all.Tasks, p.Tasks...)
		all.Duties = append(all.Duties, p.Duties...)
	}
	return all
}

// Started returns a task that is ready at once.
func Started(name string, run func(ctx context.Context) error) task.Task {
	return task.Func(name, func(ctx context.Context, ready func()) error {
		ready()
		return run(ctx)
	})
}

// Duty is a Part of duties only.
func Duty(duties ...func(ctx context.Context)) Part { return Part{Duties: duties} }
