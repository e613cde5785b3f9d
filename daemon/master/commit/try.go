package commit

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store"
)

// Try runs fn on what is known now, in the caller's goroutine, and drops what it writes: for who asks what a change would do. It returns the revision of
// what was known. Requests that commit do not wait for it, and it blocks while another Try computes, until ctx ends. Errors: fn's, and
// CodeUnavailable where this master does not lead, or ctx has ended before.
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
