// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"log/slog"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// NamingMaster sets the Docker names of networks.
type NamingMaster interface {
	NameDockerNetwork(ctx context.Context, q model.DockerNetworkName) error
}

// Made is the agent's view of Docker networks.
type Made interface {
	// DockerNetworks returns the networks of this host's engine and of its swarm.
	DockerNetworks() []record.DockerNetwork
	// Changed returns a channel that is closed when records have changed after the call.
	Changed() <-chan struct{}
}

// Namer names networks that were created for networks of the engine, as compose creates them, after the engine's networks. An engine does
// not send the name to the driver when it creates the network.
type Namer struct {
	watcher *Watcher
	master  NamingMaster
	records Made
	host    string
	log     *slog.Logger
	limit   time.Duration // of a request to the master
	first   time.Duration // before the first retry
	maxWait time.Duration // before a retry, after many

	kept map[string]string // why a network keeps its id for a name, by id
}

// NewNamer returns a Namer of the networks of a host's engine; Run names them.
func NewNamer(w *Watcher, m NamingMaster, r Made, host string, log *slog.Logger) *Namer {
	return &Namer{watcher: w, master: m, records: r, host: host, log: log, limit: 15 * time.Second, first: time.Second, maxWait: 30 * time.Second, kept: map[string]string{}}
}

// Run names networks until ctx ends; then it returns nil.
func (n *Namer) Run(ctx context.Context) error {
	wait := n.first
	for ctx.Err() == nil {
		docker, records := n.watcher.Changed(), n.records.Changed()
		var again <-chan time.Time
		if n.look(ctx) {
			wait = n.first
		} else {
			again, wait = time.After(wait), min(2*wait, n.maxWait)
		}
		select {
		case <-docker:
		case <-records:
		case <-again:
		case <-ctx.Done():
		}
	}
	return nil
}

// look names networks; done is false if something must be retried.
func (n *Namer) look(ctx context.Context) (done bool) {
	due := map[string]bool{}
	for _, d := range n.records.DockerNetworks() {
		if d.Nameless() && d.Host == n.host && n.kept[d.ID] == "" {
			due[d.ID] = true
		}
	}
	e, here := n.watcher.Engine()
	if len(due) == 0 || !here {
		return true
	}
	have, err := ask(ctx, n.watcher.pace.answer, e.Networks)
	if err != nil {
		return false
	}
	done = true
	for _, x := range have {
		if !due[x.ID] {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, n.limit)
		err := n.master.NameDockerNetwork(limited, model.DockerNetworkName{ID: x.ID, Host: n.host, Name: x.Name})
		cancel()
		switch {
		case err == nil:
			n.log.Info("network renamed to its name in Docker", "network", record.DockerNetworkName(x.Name), "id", x.ID)
		case client.IsCode(err, model.CodeInUse) || client.IsCode(err, model.CodeConflict) || client.IsCode(err, model.CodeInvalid) || client.IsCode(err, model.CodeNotFound):
			n.kept[x.ID] = err.Error() // while the agent runs: its containers know it by this name
			n.log.Info("network keeps its Docker id as its name", "network", x.Name, "id", x.ID, "reason", err)
		default:
			done = false
		}
	}
	return done
}
