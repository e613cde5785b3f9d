// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/contiv/contiv/api/model"
)

// Watch keeps the last values, and a measurement that hangs blocks nobody beyond their time.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		value, hung := uint64(1), make(chan struct{})
		close(hung)
		w := NewWatch(func() []model.Resource {
			<-hung
			return []model.Resource{{Name: "disk", Used: value, Max: 9}}
		}, func() []model.Resource { return []model.Resource{{Name: "inodes", Max: 9}} })
		is := func(when string, list []model.Resource, want uint64) {
			t.Helper()
			if len(list) != 2 || list[0].Used != want {
				t.Errorf("%s: got %v, want %d in use, and inodes", when, list, want)
			}
		}
		if got := w.Last(); got != nil {
			t.Errorf("before the first measurement: got %v, want nothing", got)
		}
		is("first", w.Now(t.Context()), 1)
		release := make(chan struct{})
		value, hung = 2, release
		ctx, cancel := context.WithTimeout(t.Context(), Interval)
		defer cancel()
		is("while it hangs", w.Now(ctx), 1)
		is("while another one hangs", w.Now(t.Context()), 1)
		close(release)
		synctest.Wait()
		is("after it ended", w.Last(), 2)
		value = 3
		running, stop := context.WithTimeout(t.Context(), 3*Interval/2)
		defer stop()
		if err := w.Run(running); err != nil {
			t.Error(err)
		}
		is("after Run", w.Last(), 3)
	})
}
