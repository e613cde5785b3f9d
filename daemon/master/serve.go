package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/storage"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/daemon/task"
)

// serve listens, opens the store, and runs netmaster over it until ctx ends or a part cannot continue.
func serve(ctx context.Context, c config, log *slog.Logger) error {
	front := newFront()
	opener := storage.NewOpener(c.Storage, c.Store, c.holder, front.waits, log)
	front.waits("the store")
	tasks, err := front.listen(c, log)
	if err != nil {
		return err
	}
	tasks = append(tasks, c.certificates().Tasks(log)...)
	return task.Run(ctx, log, append(tasks, task.Func("netmaster", func(ctx context.Context, ready func()) error {
		db, err := opener.Open(ctx)
		if err != nil {
			return ended(ctx, err)
		}
		defer func() { _ = db.Close() }()
		return runStore(ctx, c, opener, db, front, log, ready)
	}))...)
}

// runStore runs netmaster over an open store until ctx ends or a part cannot continue. If an operator wipes the store or restores it from a backup, runStore
// starts netmaster again, without the previous catalog.
func runStore(ctx context.Context, c config, opener *storage.Opener, db store.Store, front *front, log *slog.Logger, ready func()) error {
	started := time.Now()
	for {
		self, err := opener.Resolve(ctx, db)
		if err != nil {
			return ended(ctx, err)
		}
		err = runParts(ctx, c, db, self, front, started, log, ready)
		if ctx.Err() != nil || !errors.Is(err, mirror.ErrReset) {
			return err
		}
		log.Warn("netmaster starts over, because its store was recreated", "store", db.String(), "error", err)
		front.waits("the store, which was recreated")
	}
}

// runParts runs the parts of netmaster over one incarnation of the store.
func runParts(ctx context.Context, c config, db store.Store, self record.Incarnation, front *front, started time.Time, log *slog.Logger, ready func()) error {
	m, err := newMaster(c, db, self, started, log)
	if err != nil {
		return err
	}
	srv, all, err := m.Assemble(server.Config{Hosts: c.names(), Limits: c.Limits, Doors: front.doors, Stale: m.feed.Away})
	if err != nil {
		return err
	}
	group := task.NewGroup(log, append(all.Tasks, m.election.Leading(m.Lead(all, m.feed.Ready(), c.pace.Hurry)))...)
	front.serves(srv)
	ready()
	return group.Run(ctx)
}
