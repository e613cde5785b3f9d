// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store"
)

// Try runs fn on the current state, in the caller's goroutine, and drops its writes, to show what a change would do. It returns the
// revision of the state. Commits do not wait for it. It blocks while another Try computes, until ctx ends. Errors: fn's, and
// CodeUnavailable if this master does not lead, or ctx has ended before.
func (c *Committer) Try(ctx context.Context, fn func(*Tx) error) (store.Revision, error) {
	if !c.Active() {
		return 0, notLeading()
	}
	select {
	case c.trying <- struct{}{}:
		defer func() { <-c.trying }()
	case <-ctx.Done():
		return 0, model.Errorf(model.CodeUnavailable, "", "another dry run computes: %v", context.Cause(ctx)).Try("repeat the request")
	}
	draft := c.catalog.Draft()
	known := draft.Revision()
	return known, fn(newTx(draft, c.db.Limits()))
}
