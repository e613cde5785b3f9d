// Package task runs the long-lived parts of a program: each is a Task, all of them live and die together.
package task

import "context"

// Task is one long-running thing.
type Task interface {
	// Run works until ctx ends (then it returns nil) or it cannot go on (then it returns why).
	Run(ctx context.Context) error
	// Ready is closed once the task does its duty for the first time.
	Ready() <-chan struct{}
	// String names the task for logs and readiness reports.
	String() string
}
