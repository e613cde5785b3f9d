package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/storage"
	"github.com/contiv/contiv/daemon/snapshot"
	"github.com/contiv/contiv/daemon/task"
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

// snapshots returns the part that saves the store as the configuration says.
func (m *master) snapshots() part.Part {
	from, can := m.Store.(snapshot.Source)
	if !can || m.config.Snapshots.schedule.Interval == 0 || m.config.Snapshots.Dir == "" {
		return part.Part{}
	}
	saver := &snapshot.Saver{Schedule: m.config.Snapshots.schedule, From: from, Of: m.config.snapshotHeader, Room: storage.Free, Log: m.Log}
	m.Self.Snapshots = saver.Status
	return part.Part{
		Tasks: []task.Task{part.Started("snapshots of the store", saver.Run)},
		Metrics: []prometheus.Collector{
			part.Gauge("snapshot_age_seconds", "Age of the newest scheduled snapshot of the store; while there is none, for how long netmaster saves some.", saver.Age),
			part.Counter("snapshot_failures_total", "Scheduled snapshots of the store that were not saved.", saver.Failures),
		},
	}
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
