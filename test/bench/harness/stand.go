// SPDX-License-Identifier: Apache-2.0

// Package harness lets programs that measure use what tests use: real switches that are gone when a measurement ends.
package harness

import (
	"errors"
	"fmt"
	"os"

	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/ofnet/ovstest"
)

// Stand is what a measurement is to the helpers of tests: the first thing that goes wrong ends it.
type Stand struct {
	cleanups []func()
	failed   error
}

var (
	_ ovstest.TB  = (*Stand)(nil)
	_ kubetest.TB = (*Stand)(nil)
)

// stop unwinds a measurement that has failed.
type stop struct{}

// Measure runs do, then what it has asked to be cleaned up, and returns what went wrong.
func Measure(do func(*Stand)) error {
	b := &Stand{}
	func() {
		defer func() {
			if x := recover(); x != nil && x != (stop{}) {
				panic(x)
			}
		}()
		defer func() {
			for i := len(b.cleanups) - 1; i >= 0; i-- {
				b.cleanups[i]()
			}
		}()
		do(b)
	}()
	return b.failed
}

// Helper does nothing.
func (b *Stand) Helper() {}

// Cleanup runs f at the end.
func (b *Stand) Cleanup(f func()) { b.cleanups = append(b.cleanups, f) }

// TempDir makes a directory that is removed at the end.
func (b *Stand) TempDir() string {
	dir, err := os.MkdirTemp("", "contiv-bench")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Failed reports whether something has gone wrong.
func (b *Stand) Failed() bool { return b.failed != nil }

// Logf writes a line to standard error.
func (b *Stand) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// Fatal ends the measurement.
func (b *Stand) Fatal(args ...any) {
	b.failed = errors.New(fmt.Sprint(args...))
	panic(stop{})
}

// Fatalf ends the measurement.
func (b *Stand) Fatalf(format string, args ...any) {
	b.failed = fmt.Errorf(format, args...)
	panic(stop{})
}
