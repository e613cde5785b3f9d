// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/task"
)

// Part returns the part that cares for an open store with an incarnation: it watches the incarnation, records the hosts of the cluster, reports the used space, and
// compacts the history of a store that does not compact itself. If the embedded store fails, it ends netmaster with the reason. feed loads the catalog.
func (s *Settings) Part(db store.Store, known *catalog.Catalog, feed *catalog.Feed, of record.Incarnation, log *slog.Logger) part.Part {
	space := maintenance.NewSpace(db, log)
	p := part.Part{
		Tasks: []task.Task{
			watchIncarnation(known, feed, of),
			recordRoster(s.ClusterFile, known, feed, of, log),
			part.Started("space of the store", func(ctx context.Context) error { space.Run(ctx); return nil }),
		},
		Metrics: []prometheus.Collector{space.Metrics()},
	}
	if own, ok := db.(failing); ok {
		p.Tasks = append(p.Tasks, watchFailure(own))
	}
	if !s.Runs() { // an embedded store compacts itself
		p.Duties = append(p.Duties, maintenance.NewCompactor(db, s.Compaction.History, known.Revision, log).Run)
	}
	return p
}

// failing is a store in this process, which may fail.
type failing interface {
	// Failed yields the error after which the store no longer serves.
	Failed() <-chan error
}

// watchFailure returns a task that ends with the error of a store that has failed.
func watchFailure(s failing) task.Task {
	return task.Func("member of the store", func(ctx context.Context, ready func()) error {
		ready()
		select {
		case err := <-s.Failed():
			return err
		case <-ctx.Done():
			return nil
		}
	})
}
