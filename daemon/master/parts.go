// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server/doctor"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/daemon/usage"
)

// own returns the parts of this process: its certificates, and its connection to its store. Package netmaster has the others.
func (m *master) own() part.Part {
	snapshots, status := m.daemon.Storage.Snapshots.Part(m.Store, m.daemon.config.Store, m.daemon.holder, m.Log)
	m.Self.Snapshots = status
	return part.Join(
		m.daemon.own.Part(m.Catalog, m.Commit, m.Users.SealSecrets, m.Log),
		m.following(),
		m.elected(),
		m.daemon.Storage.Part(m.Store, m.Catalog, m.feed, m.Incarnation, m.Log),
		m.daemon.opener.Agreement.Part(m.Store, m.daemon.Storage.Embedded.Name, m.Incarnation, m.Log),
		snapshots,
		m.kubernetesRecords(),
		part.Part{Metrics: []prometheus.Collector{usage.NewCollector("master", m.used)}},
	)
}

// following returns the part that loads the catalog from the store and follows the store's changes.
func (m *master) following() part.Part {
	load := part.Started("first load", func(ctx context.Context) error {
		defer m.daemon.pace.Hurry()()
		_ = m.Catalog.Wait(ctx, 1) // an error is the end of ctx
		return nil
	})
	return part.Part{
		Tasks: []task.Task{load, m.feed},
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

// elected returns the part that registers this process as the leader or as a follower.
func (m *master) elected() part.Part {
	roles := part.Started("roles", func(ctx context.Context) error {
		for {
			changed := m.election.Changed()
			role := "follower"
			if _, leads := m.election.Term(); leads {
				role = "leader"
			}
			m.registry.Set(m.daemon.registration(role))
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

// kubernetesRecords returns the part that writes Kubernetes' objects as records; it is empty if no API server is configured.
func (m *master) kubernetesRecords() part.Part {
	if m.kubernetes == nil {
		return part.Part{}
	}
	return part.Duty(m.kubernetes.Run)
}

// used returns what this netmaster and the cluster can run out of.
func (m *master) used() (out []model.Resource) {
	m.Catalog.View(func(v *catalog.View) { out = doctor.Numbers(v) })
	return append(out, m.daemon.usage.Last()...)
}
