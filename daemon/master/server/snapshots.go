package server

import "github.com/contiv/contiv/api/model"

// Snapshots are those of the store that a netmaster saves on its disk.
type Snapshots struct {
	Status   func() *model.SnapshotStatus
	Age      func() float64 // of the newest, in seconds; while there is none, since when it saves some
	Failures func() uint64  // since the process started
}

// status is how it stands; nil where none are saved.
func (s *Snapshots) status() func() *model.SnapshotStatus {
	if s == nil {
		return nil
	}
	return s.Status
}

// show adds their metrics.
func (s *Snapshots) show(r readings) {
	if s == nil {
		return
	}
	r.gauge("snapshot_age_seconds", "Age of the newest scheduled snapshot of the store; while there is none, for how long netmaster saves some.", s.Age)
	r.counter("snapshot_failures_total", "Scheduled snapshots of the store that were not saved.", s.Failures)
}
