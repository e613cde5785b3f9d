// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"cmp"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/snapshot"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/storeconfig"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// Snapshots configure the scheduled snapshots of the store.
type Snapshots struct {
	snapshot.Schedule // as of Check
	interval          string
}

// Register adds the flags.
func (s *Snapshots) Register(set *flags.Set) {
	set.String(&s.Dir, "snapshot-dir", "SNAPSHOT_DIR", "", "directory of the store's snapshots (default: snapshots, beside the directory of the embedded store; with another store, none)")
	set.String(&s.interval, "snapshot-every", "SNAPSHOT_EVERY", snapshot.DefaultInterval.String(), "time between two snapshots; 0s: none are saved")
	set.Int(&s.Keep, "snapshot-keep", "SNAPSHOT_KEEP", snapshot.DefaultKeep, "number of these snapshots that are kept")
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

// Part returns the part that saves snapshots of an open store, and a function that returns their status. Without a schedule, or with a store that has no
// snapshots, the part is empty and the function nil. c is the configuration of the store; holder proves this netmaster, nil without certificates.
func (s *Snapshots) Part(db store.Store, c storeconfig.Config, holder *trust.Holder, log *slog.Logger) (part.Part, func() *model.SnapshotStatus) {
	schedule := s.Schedule
	from, can := db.(snapshot.Source)
	if !can || schedule.Interval == 0 || schedule.Dir == "" {
		return part.Part{}, nil
	}
	saver := &snapshot.Saver{Schedule: schedule, From: from, Of: func() snapshot.Header { return header(c, holder) }, Room: Free, Log: log}
	return part.Part{
		Tasks: []task.Task{part.Started("snapshots of the store", saver.Run)},
		Metrics: []prometheus.Collector{
			part.Gauge("snapshot_age_seconds", "Age of the newest scheduled snapshot of the store; while there is none, for how long netmaster saves some.", saver.Age),
			part.Counter("snapshot_failures_total", "Scheduled snapshots of the store that were not saved.", saver.Failures),
		},
	}, saver.Status
}

// header returns the part of a snapshot's header that does not follow from the content of the store.
func header(c storeconfig.Config, holder *trust.Holder) snapshot.Header {
	h := snapshot.Header{Contiv: build.Info().Version, Store: snapshot.Embedded}
	switch {
	case len(c.Etcd) > 0:
		h.Store = snapshot.Etcd
	case len(c.Consul) > 0:
		h.Store = snapshot.Consul
	}
	if holder != nil {
		h.Host, h.Authority = holder.Identity().Name, snapshot.Authority(holder.Dir())
	}
	return h
}
