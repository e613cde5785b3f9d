// SPDX-License-Identifier: Apache-2.0

package netmaster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/record"
)

// catchUpTimeout is how long a new leader waits for its watch to deliver what was committed before.
const catchUpTimeout = 2 * time.Second

// Lead returns what this process does while it leads: the duties of all parts. The first term waits until the store is loaded. hurry returns how to end
// the use of all processors, which a term has until it accepts changes.
func (m *Master) Lead(all part.Part, loaded <-chan struct{}, hurry func() (done func())) cluster.Lead {
	return func(ctx context.Context, t cluster.Term) error {
		select {
		case <-loaded: // else the store is read twice at once, and the list that comes last is useless
		case <-ctx.Done():
			return ctx.Err()
		}
		begun := hurry()
		defer begun()
		return m.term(ctx, t, all.First, append(slices.Clip(all.Duties), func(context.Context) { begun() })...)
	}
}

// term is one term: convert what an earlier build has left, read everything, write what every cluster has, and then commit requests beside a leader's duties.
func (m *Master) term(ctx context.Context, t cluster.Term, first []func(*commit.Tx) error, duties ...func(context.Context)) error {
	converted, err := maintenance.Convert(ctx, m.Store, t.Fence, m.Log)
	if err != nil {
		return err
	}
	if err := m.Catalog.CatchUp(ctx, max(t.Fence.Created, converted), catchUpTimeout, m.Store, m.Log); err != nil {
		return fmt.Errorf("read the store: %w", err)
	}
	logShared(m.Catalog, m.Log)
	converge := derive.Converge()
	return m.Commit.RunFrom(ctx, t.Fence, func(tx *commit.Tx) error {
		var errs []error
		for _, write := range first {
			errs = append(errs, write(tx))
		}
		return errors.Join(append(errs, converge(tx))...)
	}, duties...)
}

// logShared logs the networks whose addresses are not unique where they should be: an earlier build accepted them.
func logShared(known *catalog.Catalog, log *slog.Logger) {
	known.View(func(v *catalog.View) {
		g := v.Global()
		if g == nil || g.HostAccess != record.HostDirect {
			return
		}
		for _, s := range v.Shared() {
			log.Error("networks of two tenants share addresses, so hosts may reach the containers of only one of them: delete one of the networks", "network", s.String())
		}
	})
}
