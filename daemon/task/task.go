// SPDX-License-Identifier: Apache-2.0

// Package task runs the long-lived parts of a program: each is a Task, and all of them start and end together.
package task

import "context"

// Task is one long-running thing.
type Task interface {
	// Run works until ctx ends (then it returns nil) or it cannot continue (then it returns an error).
	Run(ctx context.Context) error
	// Ready is closed once the task is ready for the first time.
	Ready() <-chan struct{}
	// String names the task for logs and readiness reports.
	String() string
}
