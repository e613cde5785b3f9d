package main

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
	"github.com/contiv/contiv/daemon/master/convert"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/record"
)

// watchPatience is how long a leader that begins waits for its watch to tell what was before.
const watchPatience = 2 * time.Second

// leads returns what this process does while it leads, with the duties of all parts.
func (m *master) leads(duties []func(context.Context)) cluster.Lead {
	return func(ctx context.Context, t cluster.Term) error {
		select {
		case <-m.feed.Ready(): // else the store is read twice at once, and the list that comes last is useless
		case <-ctx.Done():
			return ctx.Err()
		}
		begun := m.pace.Hurry()
		defer begun()
		return m.term(ctx, t, append(slices.Clip(duties), func(context.Context) { begun() })...)
	}
}

// term is one term: convert what an earlier build has left, know everything, make what every cluster has, and then commit what comes, beside a leader's duties.
func (m *master) term(ctx context.Context, t cluster.Term, duties ...func(context.Context)) error {
	converted, err := convert.Run(ctx, m.db, t.Fence, m.log)
	if err != nil {
		return err
	}
	if err := m.known.CatchUp(ctx, max(t.Fence.Created, converted), watchPatience, m.db, m.log); err != nil {
		return fmt.Errorf("read the store: %w", err)
	}
	tellShared(m.known, m.log)
	converge := derive.Converge()
	first := func(tx *commit.Tx) error {
		return errors.Join(m.admitter.Bootstrap(tx), server.Secret(tx), m.accounts.SealSecrets(tx), converge(tx))
	}
	return m.committer.RunFrom(ctx, t.Fence, first, duties...)
}

// tellShared names the networks whose addresses are not unique where they should be: an earlier build let them in.
func tellShared(known *catalog.Catalog, log *slog.Logger) {
	known.View(func(v *catalog.View) {
		g := v.Global()
		if g == nil || g.HostAccess != record.HostDirect {
			return
		}
		for _, s := range v.Shared() {
			log.Error("networks of two tenants share addresses, so hosts may meet the containers of one of them alone: delete one of the networks", "network", s.String())
		}
	})
}
