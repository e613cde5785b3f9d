package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/listener"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/server/proxy"
	"github.com/contiv/contiv/daemon/master/storage"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/daemon/task"
)

// serve listens, opens the store, and runs netmaster over it until ctx ends or a part cannot continue.
func serve(ctx context.Context, c config, log *slog.Logger) error {
	front := listener.New(c.Listener, c.holder, log)
	opener := storage.NewOpener(c.Storage, c.Store, c.holder, front.SetWaiting, log)
	tasks, err := front.Listen()
	if err != nil {
		return err
	}
	tasks = append(tasks, c.certificates().Tasks(log)...)
	return task.Run(ctx, log, append(tasks, task.Func("netmaster", func(ctx context.Context, ready func()) error {
		db, err := opener.Open(ctx)
		if err != nil {
			return unlessEnded(ctx, err)
		}
		defer func() { _ = db.Close() }()
		return runStore(ctx, c, opener, db, front, log, ready)
	}))...)
}

// runStore runs netmaster over an open store until ctx ends or a part cannot continue. If an operator wipes the store or restores it from a backup, runStore
// starts netmaster again, without the previous catalog.
func runStore(ctx context.Context, c config, opener *storage.Opener, db store.Store, front *listener.Front, log *slog.Logger, ready func()) error {
	started := time.Now()
	for {
		self, err := opener.Resolve(ctx, db)
		if err != nil {
			return unlessEnded(ctx, err)
		}
		err = runParts(ctx, c, opener, db, self, front, started, log, ready)
		if ctx.Err() != nil || !errors.Is(err, mirror.ErrReset) {
			return err
		}
		log.Warn("netmaster starts over, because its store was recreated", "store", db.String(), "error", err)
		front.SetWaiting("the store, which was recreated")
	}
}

// runParts runs the parts of netmaster over one incarnation of the store.
func runParts(ctx context.Context, c config, opener *storage.Opener, db store.Store, self record.Incarnation, front *listener.Front, started time.Time, log *slog.Logger, ready func()) error {
	m, err := newMaster(c, opener, db, self, started, log)
	if err != nil {
		return err
	}
	srv, all, err := m.Assemble(server.Config{Hosts: c.Listener.Names(), Limits: c.Limits, Doors: front.Connections(), Stale: m.feed.Away})
	if err != nil {
		return err
	}
	group := task.NewGroup(log, append(all.Tasks, m.election.Leading(m.Lead(all, m.feed.Ready(), c.pace.Hurry)), answer(front, srv, m.feed))...)
	front.SetWaiting("the content of the store")
	ready()
	return group.Run(ctx)
}

// answer sets the handlers of netmaster once it has read the store: an empty catalog would answer that objects do not exist.
func answer(front *listener.Front, srv *server.Server, feed *catalog.Feed) task.Task {
	return task.Func("answers", func(ctx context.Context, ready func()) error {
		ready()
		select {
		case <-feed.Ready():
			front.SetHandlers(srv, proxy.New(srv, srv.Strangers()))
			<-ctx.Done()
		case <-ctx.Done():
		}
		return nil
	})
}

// unlessEnded returns err, or nil if ctx has ended: the error is a consequence then.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
