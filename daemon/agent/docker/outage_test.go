// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// The first request that no netmaster answers may take long. Later ones are refused immediately with the same error, except a brief attempt
// from time to time, until one succeeds or the failure is long ago.
func TestOutage(t *testing.T) {
	w := newWorld(t)
	d := w.driver("h1")
	away, refused := error(model.Errorf(model.CodeUnavailable, "", "no netmaster answers")), error(model.Errorf(model.CodeConflict, "", "it is taken"))
	const usual, limited, untried = "usual", "limited", "untried"
	for i, row := range []struct {
		after time.Duration // since the request before
		err   error         // if it is tried
		want  string
	}{
		{0, nil, usual},
		{0, refused, usual},
		{0, errors.New("the switch is away"), usual},
		{0, away, usual},
		{0, nil, untried},
		{brief - 1, nil, untried},
		{1, refused, limited},
		{0, away, limited},
		{0, nil, untried},
		{2 * brief, away, limited},
		{outageMemory - 1, nil, limited},
		{0, away, usual},
		{outageMemory, nil, usual},
	} {
		w.now = w.now.Add(row.after)
		got, want := untried, row.err
		_, err := asking(d, func(ctx context.Context, _ empty) (empty, error) {
			got = usual
			if _, ends := ctx.Deadline(); ends {
				got = limited
			}
			return empty{}, row.err
		})(t.Context(), empty{})
		if row.want == untried {
			want = away
		}
		if !errors.Is(err, want) || got != row.want {
			t.Errorf("request %d: want %s and %v, got %s and %v", i, row.want, want, got, err)
		}
	}
}

// A deletion that takes long is queued for a retry. So are the deletions after it, without an attempt, while they would probably take as
// long.
func TestLongDeletion(t *testing.T) {
	d := newWorld(t).driver("h1")
	began := time.Now()
	deleted := d.retryingLater(func(ctx context.Context, _ endpointRequest) (empty, error) {
		<-ctx.Done()
		return empty{}, model.Errorf(model.CodeUnavailable, "", "%v", ctx.Err())
	})
	for _, id := range []string{"e1", "e2", "e3"} {
		if _, err := deleted(t.Context(), endpointRequest{EndpointID: id}); err == nil {
			t.Errorf("%s is reported as deleted", id)
		}
	}
	if took := time.Since(began); took > brief+time.Second || len(d.owed.list()) != 3 || !d.outage.lasts() {
		t.Errorf("after %s owed are %v", took, d.owed.list())
	}
}
