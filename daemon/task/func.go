// SPDX-License-Identifier: Apache-2.0

package task

import (
	"context"
	"sync"
)

// Func makes a Task of a function. The function calls ready when it is ready for the first time; calling it again is harmless. A Func is
// run once.
func Func(name string, run func(ctx context.Context, ready func()) error) Task {
	return &fn{name: name, run: run, ready: make(chan struct{})}
}

type fn struct {
	name  string
	run   func(ctx context.Context, ready func()) error
	once  sync.Once
	ready chan struct{}
}

func (f *fn) Run(ctx context.Context) error {
	return f.run(ctx, func() { f.once.Do(func() { close(f.ready) }) })
}

func (f *fn) Ready() <-chan struct{} { return f.ready }
func (f *fn) String() string         { return f.name }
