package storage

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/snapshot"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/task"
)

// Snapshots configure the scheduled snapshots of the store.
type Snapshots struct {
	snapshot.Schedule // as of Check
	interval          string
}

// Register adds the flags.
func (s *Snapshots) Register(set *flags.Set) {
	set.String(&s.Dir, "snapshot-dir", "SNAPSHOT_DIR", "", "folder in which the store is saved (default: snapshots, beside the folder of the embedded store; with another store, none)")
	set.String(&s.interval, "snapshot-every", "SNAPSHOT_EVERY", snapshot.DefaultInterval.String(), "how often the store is saved; 0s: never")
	set.Int(&s.Keep, "snapshot-keep", "SNAPSHOT_KEEP", snapshot.DefaultKeep, "how many of these snapshots are kept")
}

// Check validates the flags. The default directory is beside that of the embedded store, "" if the store is another process.
func (s *Snapshots) Check(embedded string) (err error) {
	if s.Interval, err = time.ParseDuration(s.interval); err != nil {
		return fmt.Errorf("--snapshot-every %s: it is a duration", s.interval)
	}
	if embedded != "" {
		s.Dir = cmp.Or(s.Dir, filepath.Join(filepath.Dir(filepath.Clean(embedded)), "snapshots"))
	}
	if err := s.Schedule.Check(); err != nil {
		return fmt.Errorf("--snapshot-%w", err)
	}
	return nil
}

// Snapshots returns the part that saves snapshots of an open store, and a function that returns their status. Without a schedule, or with a store that has
// no snapshots, the part is empty and the function nil.
func (o *Opener) Snapshots(db store.Store) (part.Part, func() *model.SnapshotStatus) {
	schedule := o.Settings.Snapshots.Schedule
	from, can := db.(snapshot.Source)
	if !can || schedule.Interval == 0 || schedule.Dir == "" {
		return part.Part{}, nil
	}
	saver := &snapshot.Saver{Schedule: schedule, From: from, Of: o.header, Room: Free, Log: o.Log}
	return part.Part{
		Tasks: []task.Task{part.Started("snapshots of the store", saver.Run)},
		Metrics: []prometheus.Collector{
			part.Gauge("snapshot_age_seconds", "Age of the newest scheduled snapshot of the store; while there is none, for how long netmaster saves some.", saver.Age),
			part.Counter("snapshot_failures_total", "Scheduled snapshots of the store that were not saved.", saver.Failures),
		},
	}, saver.Status
}

// header returns the part of a snapshot's header that does not follow from the content of the store.
func (o *Opener) header() snapshot.Header {
	h := snapshot.Header{Contiv: build.Info().Version, Store: snapshot.Embedded}
	switch {
	case len(o.Store.Etcd) > 0:
		h.Store = snapshot.Etcd
	case len(o.Store.Consul) > 0:
		h.Store = snapshot.Consul
	}
	if o.Trust != nil {
		h.Host, h.Authority = o.Trust.Identity().Name, snapshot.Authority(o.Trust.Dir())
	}
	return h
}
