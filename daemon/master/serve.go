package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/daemon/store/open"
	"github.com/contiv/contiv/daemon/task"
)

// serve wires netmaster's parts together and runs them until ctx ends or one cannot continue.
func serve(ctx context.Context, c config, log *slog.Logger) error {
	front := newFront()
	front.waits("the store")
	tasks, err := front.listen(c, log)
	if err != nil {
		return err
	}
	tasks = append(tasks, c.certificates().Tasks(log)...)
	return task.Run(ctx, log, append(tasks, task.Func("netmaster", func(ctx context.Context, ready func()) error {
		if err := c.awaitStore(ctx, front, log); err != nil {
			return ended(ctx, err)
		}
		if err := c.awaitRoom(ctx, front, room, log); err != nil {
			return ended(ctx, err)
		}
		if err := c.awaitMember(ctx, front, log); err != nil {
			return ended(ctx, err)
		}
		db, err := openStore(ctx, c, log)
		if err != nil {
			return err
		}
		if db == nil { // told to end while the store started
			return nil
		}
		defer func() { _ = db.Close() }()
		return reign(ctx, c, db, front, log, ready)
	}))...)
}

// awaitStore waits until the machine has the addresses of the store in this process, whose server ends without them.
func (c *config) awaitStore(ctx context.Context, front *front, log *slog.Logger) error {
	if !c.Store.Embedded {
		return nil
	}
	for _, text := range []string{c.Embedded.ClientURL, c.Embedded.PeerURL} {
		u, err := url.Parse(text)
		if err != nil {
			return err
		}
		front.waits("the address " + u.Host + " of the embedded store, which no interface of this machine has")
		l, err := httpserver.Await(ctx, net.JoinHostPort(u.Hostname(), "0"), log)
		if err != nil {
			return fmt.Errorf("address %s of the embedded store: %w", u.Host, err)
		}
		_ = l.Close()
	}
	front.waits("the store")
	return nil
}

// openStore opens the store that the configuration names, or starts it in this process.
func openStore(ctx context.Context, c config, log *slog.Logger) (store.Store, error) {
	if !c.Store.Embedded {
		return open.Open(c.Store, log)
	}
	c.Embedded.Log = log
	db, err := embedded.Start(ctx, c.Embedded)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil
		}
		return nil, err
	}
	return db, nil
}

// reign runs netmaster's parts over an open store until ctx ends or one cannot continue. When the store is recreated beneath them -
// someone has wiped it, or restored an older backup - they start over, with nothing known.
func reign(ctx context.Context, c config, db store.Store, front *front, log *slog.Logger, ready func()) error {
	started := time.Now()
	for {
		self, err := c.settle(ctx, db, front, log)
		if err != nil {
			return ended(ctx, err)
		}
		err = live(ctx, c, db, self, front, started, log, ready)
		if ctx.Err() != nil || !errors.Is(err, mirror.ErrReset) {
			return err
		}
		log.Warn("netmaster starts over, because its store was recreated", "store", db.String(), "error", err)
		front.waits("the store, which was recreated")
	}
}

// live is one life of the parts, over one incarnation of the store.
func live(ctx context.Context, c config, db store.Store, self record.Incarnation, front *front, started time.Time, log *slog.Logger, ready func()) error {
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
