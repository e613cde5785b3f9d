// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"log/slog"
	"time"

	"github.com/contiv/contiv/api/model"
)

// ForgettingMaster deletes records of Docker networks.
type ForgettingMaster interface {
	DeleteDockerNetwork(ctx context.Context, q model.DockerNetworkRemoval) error
}

// Migration deletes the records that earlier builds have made in the store of the networks that a Kept knows. A netmaster of an earlier build leaves them.
type Migration struct {
	kept     *Kept
	master   ForgettingMaster
	records  Made
	host     string
	log      *slog.Logger
	limit    time.Duration // of a request to the master
	interval time.Duration // between requests
	repeat   time.Duration // until records are asked for again that are still there
}

// NewMigration returns a Migration of the records of a host's engine; Run makes it live.
func NewMigration(k *Kept, m ForgettingMaster, r Made, host string, log *slog.Logger) *Migration {
	return &Migration{kept: k, master: m, records: r, host: host, log: log, limit: 15 * time.Second, interval: 5 * time.Second, repeat: 10 * time.Minute}
}

// Run deletes records, a bounded number at a time, until ctx ends; then it returns nil.
func (m *Migration) Run(ctx context.Context) error {
	asked := map[string]time.Time{}
	for ctx.Err() == nil {
		kept, records := m.kept.Changed(), m.records.Changed()
		var ids []string
		for _, d := range m.records.DockerNetworks() {
			if len(ids) < model.MaxKept && m.kept.Supersedes(&d) && time.Since(asked[d.ID]) >= m.repeat {
				ids = append(ids, d.ID)
			}
		}
		if len(ids) > 0 {
			m.forget(ctx, ids, asked)
			pause(ctx, m.interval)
			continue
		}
		again := time.NewTimer(m.repeat)
		select {
		case <-kept:
		case <-records:
		case <-again.C:
		case <-ctx.Done():
		}
		again.Stop()
	}
	return nil
}

func (m *Migration) forget(ctx context.Context, ids []string, asked map[string]time.Time) {
	limited, cancel := context.WithTimeout(ctx, m.limit)
	defer cancel()
	if err := m.master.DeleteDockerNetwork(limited, model.DockerNetworkRemoval{Host: m.host, Kept: ids}); err != nil {
		m.log.Debug("records of Docker networks of the agent not deleted yet", "error", err)
		return
	}
	m.log.Info("deleted records of Docker networks of the agent at netmaster", "records", len(ids))
	for _, id := range ids {
		asked[id] = time.Now()
	}
}
