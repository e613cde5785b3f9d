// SPDX-License-Identifier: Apache-2.0

package part_test

import (
	"context"
	"slices"
	"testing"

	"github.com/contiv/contiv/daemon/master/part"
)

// Missing has the reasons in the order of the parts, and then the tasks that are not ready.
func TestMissing(t *testing.T) {
	work := part.Started("work", func(context.Context) error { return nil })
	waits := func(what string) part.Part { return part.Part{Waiting: []func() string{func() string { return what }}} }
	all := part.Join(part.Runs(work), waits("a certificate"), part.Join(waits(""), waits("space")))
	if got, want := all.Missing(), []string{"a certificate", "space", "work"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := work.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := all.Missing(), []string{"a certificate", "space"}; !slices.Equal(got, want) {
		t.Errorf("after the task was ready: got %q, want %q", got, want)
	}
}
