// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"time"

	"github.com/contiv/contiv/api/model"
)

const (
	observedWithin = 2 * time.Minute
	maxObserved    = 2000 // events, the newest
)

// observed are the connections of the last minutes, the oldest first.
func (f *Feed) observed(ctx context.Context) ([]model.Observed, error) {
	out := []model.Observed{}
	for e, err := range f.client.Observe(ctx, model.Observe{Since: observedWithin}) {
		if err != nil {
			return nil, err
		}
		if out = append(out, e); len(out) > 2*maxObserved {
			out = append(out[:0:0], out[len(out)-maxObserved:]...)
		}
	}
	return out[max(0, len(out)-maxObserved):], ctx.Err()
}
