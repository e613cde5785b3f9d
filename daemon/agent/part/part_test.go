// SPDX-License-Identifier: Apache-2.0

package part_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/task"
)

// A task waits for its stages, and is ready after the first of them.
func TestStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		prepared, synced := make(chan struct{}), make(chan struct{})
		stages := part.Stages{Prepared: prepared, Synced: synced}
		ran := false
		work := stages.AfterSync("work", func(context.Context) error { ran = true; return nil })
		ended := make(chan error, 1)
		go func() { ended <- work.Run(t.Context()) }()
		is := func(what string, wantReady, wantRan bool) {
			t.Helper()
			synctest.Wait()
			ready := false
			select {
			case <-work.Ready():
				ready = true
			default:
			}
			if ready != wantReady || ran != wantRan {
				t.Errorf("%s: want ready %v and run %v, got %v, %v", what, wantReady, wantRan, ready, ran)
			}
		}
		is("at first", false, false)
		close(prepared)
		is("prepared", true, false)
		close(synced)
		is("synced", true, true)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A task whose stage never comes ends with its context, without an error.
func TestAfter_Ended(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := part.After(make(chan struct{}), "never", func(context.Context) error { t.Error("it ran"); return nil })
	if err := never.Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestJoin(t *testing.T) {
	named := func(name string) part.Part {
		return part.Part{Checks: []check.Check{{Name: name}}, Tasks: []task.Task{part.Started(name, func(context.Context) error { return nil })}}
	}
	all := part.Join(named("a"), part.Part{}, named("b"))
	if len(all.Checks) != 2 || all.Checks[1].Name != "b" || len(all.Tasks) != 2 || all.Tasks[0].String() != "a" {
		t.Errorf("want a before b, got %+v", all)
	}
}
