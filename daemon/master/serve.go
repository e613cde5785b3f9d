// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/certificates"
	"github.com/contiv/contiv/daemon/master/listener"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/server/proxy"
	"github.com/contiv/contiv/daemon/master/storage"
	"github.com/contiv/contiv/daemon/notify"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/resources"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/daemon/tracing"
	"github.com/contiv/contiv/daemon/usage"
	"github.com/contiv/contiv/trust"
)

// daemon is the process of a netmaster, over all incarnations of its store.
type daemon struct {
	*config
	holder  *trust.Holder   // nil: everything is plain HTTP
	pace    *resources.Pace // of processors; nil: all
	recent  *logging.Recent
	log     *slog.Logger
	own     *certificates.Own
	names   *httpserver.Names // under which clients reach this netmaster
	gates   server.Gates
	traces  *tracing.Recorder
	reload  func(context.Context) // reads the files again at each signal; nil: never
	front   *listener.Front
	opener  *storage.Opener
	usage   *usage.Watch
	started time.Time // when the store was open
}

// newDaemon returns a daemon with a checked configuration. It opens nothing.
func newDaemon(c *config, holder *trust.Holder, pace *resources.Pace, recent *logging.Recent, log *slog.Logger) *daemon {
	d := &daemon{config: c, holder: holder, pace: pace, recent: recent, log: log}
	d.own = &certificates.Own{Holder: holder, Internal: c.Listener.Internal, Embedded: c.Storage.Runs()}
	d.names, d.gates = c.Listener.Names(), server.NewGates(c.Limits)
	d.front = listener.New(c.Listener, holder, log)
	d.opener = storage.NewOpener(c.Storage, c.Store, holder, d.front.SetWaiting, log)
	d.opener.Agreement = c.Storage.Agreement(c.Kubernetes.API)
	d.usage = usage.NewWatch(usage.Descriptors, usage.Process(os.DirFS("/")), usage.Disks(usage.ReadSpace, c.disks()...))
	return d
}

// disks returns the directories that netmaster writes to.
func (c *config) disks() []usage.Disk {
	logged := ""
	if c.Audit.File != "" {
		logged = filepath.Dir(c.Audit.File)
	}
	return []usage.Disk{{Dir: c.Storage.Embedded.Dir, Holds: usage.HoldsStore, Need: storage.MinSpace}, {Dir: c.Storage.Snapshots.Dir, Holds: usage.HoldsSnapshots},
		{Dir: logged, Holds: usage.HoldsAudit, Need: usage.LogNeed}, {Dir: usage.LogDir(), Holds: usage.HoldsLog, Need: usage.LogNeed}}
}

// serve listens, opens the store with open, and runs netmaster over it until ctx ends or a part cannot continue.
func (d *daemon) serve(ctx context.Context, open func(context.Context) (store.Store, error)) error {
	tasks, err := d.front.Listen()
	if err != nil {
		return err
	}
	tasks = append(append(tasks, d.own.Tasks(d.log)...), notify.New(d.front.Waiting, d.log).Task(), d.traces.Task(), part.Started("resources", d.usage.Run))
	if d.reload != nil {
		tasks = append(tasks, part.Started("reload", func(ctx context.Context) error { d.reload(ctx); return nil }))
	}
	return task.Run(ctx, d.log, append(tasks, task.Func("netmaster", func(ctx context.Context, ready func()) error {
		db, err := open(ctx)
		if err != nil {
			return unlessEnded(ctx, err)
		}
		defer func() { _ = db.Close() }()
		return d.runStore(ctx, db, ready)
	}))...)
}

// runStore runs netmaster over an open store until ctx ends or a part cannot continue. If an operator wipes the store or restores it from a backup, runStore
// starts netmaster again, without the previous catalog.
func (d *daemon) runStore(ctx context.Context, db store.Store, ready func()) error {
	d.started = time.Now()
	for {
		self, err := d.opener.Resolve(ctx, db)
		if err != nil {
			return unlessEnded(ctx, err)
		}
		err = d.runParts(ctx, db, self, ready)
		if ctx.Err() != nil || !errors.Is(err, mirror.ErrReset) {
			return err
		}
		d.log.Warn("netmaster starts over, because its store was recreated", "store", db.String(), "error", err)
		d.front.SetWaiting("the store, which was recreated")
	}
}

// runParts runs the parts of netmaster over one incarnation of the store.
func (d *daemon) runParts(ctx context.Context, db store.Store, self record.Incarnation, ready func()) error {
	m, err := newMaster(d, db, self)
	if err != nil {
		return err
	}
	front := server.Config{Hosts: d.names, Gates: d.gates, Doors: d.front.Connections(), Traces: d.traces, Stale: m.feed.Away}
	if scraper := d.Kubernetes.Scraper(time.Now); scraper != nil {
		front.Scraper = scraper
	}
	srv, all, err := m.Assemble(front)
	if err != nil {
		return err
	}
	group := task.NewGroup(d.log, append(all.Tasks, m.election.Leading(m.Lead(all, m.feed.Ready(), d.pace.Hurry)), d.answer(srv, m.feed))...)
	d.front.SetWaiting("the content of the store")
	ready()
	return group.Run(ctx)
}

// answer returns a task that sets the handlers of netmaster once it has read the store: an empty catalog would answer that objects do not exist.
func (d *daemon) answer(srv *server.Server, feed *catalog.Feed) task.Task {
	return task.Func("answers", func(ctx context.Context, ready func()) error {
		ready()
		select {
		case <-feed.Ready():
			d.front.SetHandlers(srv, proxy.New(srv, srv.Strangers()))
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
