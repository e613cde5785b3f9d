package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/snapshot"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/task"
)

// snapshotConfig is when the store is saved, and where.
type snapshotConfig struct {
	Dir, Every string
	Keep       int
	every      time.Duration
}

func (c *snapshotConfig) register(s *flags.Set) {
	s.String(&c.Dir, "snapshot-dir", "SNAPSHOT_DIR", "", "folder in which the store is saved (default: snapshots, beside the folder of the embedded store; with another store, none)")
	s.String(&c.Every, "snapshot-every", "SNAPSHOT_EVERY", snapshot.DefaultEvery.String(), "how often the store is saved; 0s: never")
	s.Int(&c.Keep, "snapshot-keep", "SNAPSHOT_KEEP", snapshot.DefaultKeep, "how many of these snapshots are kept")
}

// Bounds of the schedule.
const (
	snapshotSoonest = 10 * time.Minute
	snapshotsMost   = 1000
)

func (c *snapshotConfig) check(embedded string) (err error) {
	if c.every, err = time.ParseDuration(c.Every); err != nil || c.every != 0 && c.every < snapshotSoonest {
		return fmt.Errorf("--snapshot-every %s: it is a duration of at least %s, or 0s", c.Every, snapshotSoonest)
	}
	if c.Keep < 1 || c.Keep > snapshotsMost {
		return fmt.Errorf("--snapshot-keep %d: it is a number from 1 to %d", c.Keep, snapshotsMost)
	}
	if embedded != "" {
		c.Dir = cmp.Or(c.Dir, filepath.Join(filepath.Dir(filepath.Clean(embedded)), "snapshots"))
	}
	return nil
}

// snapshots is what saves a store as the configuration says; nil: nothing does.
func (c *config) snapshots(db store.Store, log *slog.Logger) *snapshot.Keeper {
	from, can := db.(snapshot.Source)
	if !can || c.Snapshots.every == 0 || c.Snapshots.Dir == "" {
		return nil
	}
	return &snapshot.Keeper{Schedule: snapshot.Schedule{Dir: c.Snapshots.Dir, Every: c.Snapshots.every, Keep: c.Snapshots.Keep}, From: from, Of: c.snapshotHeader, Room: room, Log: log}
}

// snapshotHeader is what a snapshot says that does not follow from the store.
func (c *config) snapshotHeader() snapshot.Header {
	h := snapshot.Header{Contiv: build.Info().Version, Store: snapshot.Embedded}
	switch {
	case len(c.Store.Etcd) > 0:
		h.Store = snapshot.Etcd
	case len(c.Store.Consul) > 0:
		h.Store = snapshot.Consul
	}
	if c.holder != nil {
		h.Host, h.Authority = c.holder.Identity().Name, snapshot.Authority(c.holder.Dir())
	}
	return h
}

// saving is the task of a keeper, which may be nil.
func saving(k *snapshot.Keeper) task.Task {
	return task.Func("snapshots of the store", func(ctx context.Context, ready func()) error {
		ready()
		if k == nil {
			<-ctx.Done()
			return nil
		}
		return k.Run(ctx)
	})
}

// saved is what the server says of a keeper, which may be nil.
func saved(k *snapshot.Keeper) *server.Snapshots {
	if k == nil {
		return nil
	}
	return &server.Snapshots{Status: k.Status, Age: k.Age, Failures: k.Failures}
}
