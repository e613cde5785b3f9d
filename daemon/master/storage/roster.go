// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
)

// rosterInterval is the maximum time between two checks of the recorded hosts. A change of the catalog causes one at once.
const rosterInterval = 5 * time.Second

// Roster returns the hosts that this host has recorded of a store or of its predecessor; nil: they are unknown.
func (s *Settings) Roster(of record.Incarnation, log *slog.Logger) []string {
	hosts, err := s.ClusterFile.Hosts(append([]string{of.ID}, of.Predecessors[:min(1, len(of.Predecessors))]...)...)
	if err != nil {
		log.Warn("the hosts of the cluster before are unknown: netmaster adopts the endpoints of those that connect in time", "error", err)
	}
	return hosts
}

// recordRoster returns a task that records the hosts of a store on this host. It records none of a store that follows another one until all hosts have
// offered their endpoints.
func recordRoster(file incarnation.File, known *catalog.Catalog, feed *catalog.Feed, of record.Incarnation, log *slog.Logger) task.Task {
	return task.Func("roster of hosts", func(ctx context.Context, ready func()) error {
		ready()
		for range changes(ctx, known, feed, rosterInterval) {
			var hosts []string
			complete := false
			known.View(func(v *catalog.View) {
				complete = adopt.Finished(v, of)
				for _, h := range v.Hosts() {
					hosts = append(hosts, h.Label)
				}
			})
			if !complete {
				continue
			}
			if err := file.RecordHosts(of.ID, hosts); err != nil {
				log.Warn("cannot record the hosts of the cluster: after a loss of the store, netmaster would not know for which hosts to wait", "error", err)
			}
		}
		return nil
	})
}
