// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"iter"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
)

// changes yields once the feed has loaded the catalog, after each change of the catalog, and at least after every interval, until ctx ends or the
// store is recreated. It blocks in between.
func changes(ctx context.Context, known *catalog.Catalog, feed *catalog.Feed, interval time.Duration) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		select {
		case <-feed.Ready():
		case <-ctx.Done():
			return
		}
		sub := known.Subscribe()
		defer sub.Close()
		for range sub.Changes(ctx, interval) {
			if !yield(struct{}{}) {
				return
			}
		}
	}
}
