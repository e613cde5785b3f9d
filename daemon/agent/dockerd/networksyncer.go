// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/record"
)

// Sources provides the desired networks.
type Sources interface {
	// Segments returns the cluster's networks and groups.
	Segments() desired.Segments
	// DockerNetworks returns the networks of this host's engine and of its swarm.
	DockerNetworks() []record.DockerNetwork
	// Changed returns a channel that is closed when records have changed after the call.
	Changed() <-chan struct{}
}

// NetworkSyncer keeps the networks of an engine in sync with the cluster's networks and groups. It leaves networks that it has not created
// unchanged.
type NetworkSyncer struct {
	watcher  *Watcher
	sources  Sources
	driver   string
	log      *slog.Logger
	debounce time.Duration // how long changes are collected
	first    time.Duration // before the first retry
	maxWait  time.Duration // before a retry, after many

	mu       sync.Mutex
	kept     *int              // number of networks in sync; nil: unknown
	problems map[string]string // of others, by name
}

// NewNetworkSyncer returns a NetworkSyncer of the networks of driver; Run syncs.
func NewNetworkSyncer(w *Watcher, s Sources, driver string, log *slog.Logger) *NetworkSyncer {
	return &NetworkSyncer{watcher: w, sources: s, driver: driver, log: log, debounce: 200 * time.Millisecond, first: 2 * time.Second,
		maxWait: 30 * time.Second, problems: map[string]string{}}
}

// Run syncs the networks until ctx ends; then it returns nil.
func (k *NetworkSyncer) Run(ctx context.Context) error {
	var done struct {
		networks []record.Network
		groups   []record.Group
		aci      bool
		events   uint64
	}
	wait, due := k.first, true
	for ctx.Err() == nil {
		docker, records := k.watcher.Changed(), k.sources.Changed()
		state, s := k.watcher.State(), k.sources.Segments()
		due = due || state.Networks != done.events || s.ACI != done.aci || !slices.Equal(s.Networks, done.networks) || !slices.Equal(s.Groups, done.groups)
		var again <-chan time.Time
		switch e, here := k.watcher.Engine(); {
		case !here:
			k.unknown()
			due = true
		case due:
			done.networks, done.groups, done.aci, done.events = s.Networks, s.Groups, s.ACI, state.Networks
			due = k.sync(ctx, e, &s)
			if due {
				again, wait = time.After(wait), min(2*wait, k.maxWait)
			} else {
				wait = k.first
			}
		}
		select {
		case <-docker:
			pause(ctx, k.debounce)
		case <-records:
			pause(ctx, k.debounce)
		case <-again:
		case <-ctx.Done():
		}
	}
	return nil
}

// sync applies the desired networks as far as possible. again reports that something failed and must be retried.
func (k *NetworkSyncer) sync(ctx context.Context, e Engine, s *desired.Segments) (again bool) {
	want, problems := wanted(s, k.driver)
	have, err := ask(ctx, k.watcher.pace.answer, e.Networks)
	if err != nil {
		k.log.Debug("the Docker engine did not list its networks", "error", err)
		k.unknown()
		return true
	}
	there, held := map[string]struct{}{}, map[string]struct{}{} // names of the desired networks, and of others
	k.spare(want, have)
	for _, n := range have {
		spec, wanted := want[n.Name]
		ours := n.Driver == k.driver && n.managed()
		differs := n.differs(&spec)
		_, second := there[n.Name]
		switch {
		case ours && wanted && differs == "" && !second:
			there[n.Name] = struct{}{}
		case ours:
			if err := k.remove(ctx, e, &n); err != nil {
				again = true
				problems[n.Name] = unremoved(wanted, differs, err)
				held[n.Name] = struct{}{}
			}
		case wanted:
			problems[n.Name] = fmt.Sprintf("network %.12s of driver %s has this name, and was not made by the agent: remove it, and it is made", n.ID, n.Driver)
			held[n.Name] = struct{}{}
		}
	}
	count := len(there)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		_, is := there[name]
		if _, other := held[name]; is || other {
			continue
		}
		spec := want[name]
		_, err := ask(ctx, k.watcher.pace.work, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, e.CreateNetwork(ctx, name, spec)
		})
		if err != nil {
			again, problems[name] = true, "not made: "+err.Error()
			continue
		}
		k.log.Info("created a Docker network", "network", name)
		count++
	}
	k.record(count, problems)
	return again
}

// spare removes desired networks for which the engine has a network that a user created with that name: they exist for it.
func (k *NetworkSyncer) spare(want map[string]Spec, have []Network) {
	made := map[string]record.DockerNetwork{}
	for _, d := range k.sources.DockerNetworks() {
		made[d.ID] = d
	}
	for _, n := range have {
		d, known := made[n.ID]
		if !known || !d.Made || d.Managed || n.managed() || d.Network.Name != record.DockerNetworkName(n.Name) {
			continue
		}
		maps.DeleteFunc(want, func(_ string, s Spec) bool {
			return s.Options[optionTenant] == d.Network.Tenant && s.Options[optionNetwork] == d.Network.Name && s.Options[optionGroup] == ""
		})
	}
}

func (k *NetworkSyncer) remove(ctx context.Context, e Engine, n *Network) error {
	_, err := ask(ctx, k.watcher.pace.work, func(ctx context.Context) (struct{}, error) { return struct{}{}, e.RemoveNetwork(ctx, n.ID) })
	if err == nil {
		k.log.Info("removed a Docker network", "network", n.Name, "id", n.ID)
	}
	return err
}

// unremoved describes why a network was not removed.
func unremoved(wanted bool, differs string, err error) string {
	switch {
	case !wanted:
		return "not removed yet, though the cluster has no such network or group any more: " + err.Error()
	case differs == "":
		return "there twice, and the second is not removed yet: " + err.Error()
	}
	return "differs from the cluster (" + differs + ") and is not recreated yet: " + err.Error()
}

// record records the status, and logs new problems.
func (k *NetworkSyncer) record(count int, problems map[string]string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		if k.problems[name] != problems[name] {
			k.log.Warn("Docker network differs from the cluster", "network", name, "reason", problems[name])
		}
	}
	k.kept, k.problems = &count, problems
}

// unknown records that the engine's networks are unknown.
func (k *NetworkSyncer) unknown() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = nil
}

// status returns the number of networks in sync, nil if unknown, and the last problems of others.
func (k *NetworkSyncer) status() (kept *int, problems []model.DockerProblem) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(k.problems)) {
		problems = append(problems, model.DockerProblem{Network: name, Problem: k.problems[name]})
	}
	return k.kept, problems
}
