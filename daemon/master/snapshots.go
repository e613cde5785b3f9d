package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/snapshot"
	"github.com/contiv/contiv/daemon/store"
)

// snapshotConfig is when the store is saved, and where.
type snapshotConfig struct {
	Dir, Every string
	Keep       int
	schedule   snapshot.Schedule
}

func (c *snapshotConfig) register(s *flags.Set) {
	s.String(&c.Dir, "snapshot-dir", "SNAPSHOT_DIR", "", "folder in which the store is saved (default: snapshots, beside the folder of the embedded store; with another store, none)")
	s.String(&c.Every, "snapshot-every", "SNAPSHOT_EVERY", snapshot.DefaultInterval.String(), "how often the store is saved; 0s: never")
	s.Int(&c.Keep, "snapshot-keep", "SNAPSHOT_KEEP", snapshot.DefaultKeep, "how many of these snapshots are kept")
}

func (c *snapshotConfig) check(embedded string) error {
	every, err := time.ParseDuration(c.Every)
	if err != nil {
		return fmt.Errorf("--snapshot-every %s: it is a duration", c.Every)
	}
	if embedded != "" {
		c.Dir = cmp.Or(c.Dir, filepath.Join(filepath.Dir(filepath.Clean(embedded)), "snapshots"))
	}
	c.schedule = snapshot.Schedule{Dir: c.Dir, Interval: every, Keep: c.Keep}
	if err := c.schedule.Check(); err != nil {
		return fmt.Errorf("--snapshot-%w", err)
	}
	return nil
}

// snapshots is what saves a store as the configuration says; nil: nothing does.
func (c *config) snapshots(db store.Store, log *slog.Logger) *snapshot.Saver {
	from, can := db.(snapshot.Source)
	if !can || c.Snapshots.schedule.Interval == 0 || c.Snapshots.Dir == "" {
		return nil
	}
	return &snapshot.Saver{Schedule: c.Snapshots.schedule, From: from, Of: c.snapshotHeader, Room: room, Log: log}
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

// saved is what the server says of a keeper, which may be nil.
func saved(k *snapshot.Saver) *server.Snapshots {
	if k == nil {
		return nil
	}
	return &server.Snapshots{Status: k.Status, Age: k.Age, Failures: k.Failures}
}
