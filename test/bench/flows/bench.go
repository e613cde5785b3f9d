package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/contiv/contiv/ofnet/ovstest"
)

// bench is what a measurement is to the helpers of tests: the first thing that goes wrong ends it.
type bench struct {
	cleanups []func()
	failed   error
}

var _ ovstest.TB = (*bench)(nil)

// stop unwinds a measurement that has failed.
type stop struct{}

// measure runs do, then what it has asked to be cleaned up, and returns what went wrong.
func measure(do func(*bench)) error {
	b := &bench{}
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
func (b *bench) Helper() {}

// Cleanup runs f at the end.
func (b *bench) Cleanup(f func()) { b.cleanups = append(b.cleanups, f) }

// Failed says whether something has gone wrong.
func (b *bench) Failed() bool { return b.failed != nil }

// Logf writes a line to standard error.
func (b *bench) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// Fatal ends the measurement.
func (b *bench) Fatal(args ...any) {
	b.failed = errors.New(fmt.Sprint(args...))
	panic(stop{})
}

// Fatalf ends the measurement.
func (b *bench) Fatalf(format string, args ...any) {
	b.failed = fmt.Errorf(format, args...)
	panic(stop{})
}
