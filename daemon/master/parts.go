package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/daemon/master/certificates"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/storage"
	"github.com/contiv/contiv/daemon/task"
)

// own returns the parts of this process, beside those of every netmaster (package netmaster): its certificates, and its connection to its store.
func (m *master) own(held *certificates.Own) part.Part {
	return part.Join(
		held.Part(m.Catalog, m.Commit, m.Users.SealSecrets, m.Log),
		m.following(),
		m.elected(),
		m.storeSpace(),
		m.snapshots(),
		m.history(),
		m.kubernetesRecords(),
	)
}

// following follows the store, whose records all parts read.
func (m *master) following() part.Part {
	load := part.Started("first load", func(ctx context.Context) error {
		defer m.config.pace.Hurry()()
		_ = m.Catalog.Wait(ctx, 1) // an error is the end of ctx
		return nil
	})
	return part.Part{
		Tasks: []task.Task{load, m.feed, storage.Watch(m.Catalog, m.feed, m.Incarnation),
			storage.RecordRoster(m.config.Storage.ClusterFile, m.Catalog, m.feed, m.Incarnation, m.Log)},
		Waiting: []func() string{
			func() string {
				if m.election.Starved() || m.Commit.Starved() {
					return "space in the store, which has used up its quota"
				}
				return ""
			},
			m.feed.Away,
		},
	}
}

// elected registers this process, as leader or follower.
func (m *master) elected() part.Part {
	roles := part.Started("roles", func(ctx context.Context) error {
		for {
			changed := m.election.Changed()
			role := "follower"
			if _, leads := m.election.Term(); leads {
				role = "leader"
			}
			m.registry.Set(registration(m.config, role))
			select {
			case <-ctx.Done():
				return nil
			case <-changed:
			}
		}
	})
	return part.Part{Tasks: []task.Task{m.registry, roles}, Waiting: []func() string{func() string {
		if len(task.Waiting(m.election)) > 0 {
			return m.election.String()
		}
		return ""
	}}}
}

// storeSpace reports how much space the store has.
func (m *master) storeSpace() part.Part {
	space := maintenance.NewSpace(m.Store, m.Log)
	return part.Part{
		Tasks:   []task.Task{part.Started("space of the store", func(ctx context.Context) error { space.Run(ctx); return nil })},
		Metrics: []prometheus.Collector{space.Metrics()},
	}
}

// history compacts the store's own history, where nothing else does.
func (m *master) history() part.Part {
	if m.config.Store.Embedded { // which compacts itself
		return part.Part{}
	}
	return part.Duty(maintenance.NewCompactor(m.Store, m.config.Maintenance.History, m.Catalog.Revision, m.Log).Run)
}

// kubernetesRecords keeps records of what Kubernetes has.
func (m *master) kubernetesRecords() part.Part {
	if m.kubernetes == nil {
		return part.Part{}
	}
	return part.Duty(m.kubernetes.Run)
}
