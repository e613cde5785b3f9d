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

// Sources are where a Keeper learns what the networks should be.
type Sources interface {
	// Segments returns the cluster's networks and groups.
	Segments() desired.Segments
	// DockerNetworks returns the networks of this host's engine and of its swarm.
	DockerNetworks() []record.DockerNetwork
	// Changed is closed when records have changed after the call.
	Changed() <-chan struct{}
}

// Keeper keeps the networks of an engine equal to the cluster's networks and groups. Networks that it has not made it leaves alone.
type Keeper struct {
	watcher *Watcher
	sources Sources
	driver  string
	log     *slog.Logger
	settle  time.Duration // changes are gathered
	first   time.Duration // until what failed is tried again
	most    time.Duration // the same, after many attempts

	mu       sync.Mutex
	kept     *int              // how many networks are as they should be; nil: unknown
	problems map[string]string // what is not, by name
}

// NewKeeper returns a Keeper of the networks of driver; Run makes it live.
func NewKeeper(w *Watcher, s Sources, driver string, log *slog.Logger) *Keeper {
	return &Keeper{watcher: w, sources: s, driver: driver, log: log, settle: 200 * time.Millisecond, first: 2 * time.Second,
		most: 30 * time.Second, problems: map[string]string{}}
}

// Run keeps the networks until ctx ends; then it returns nil.
func (k *Keeper) Run(ctx context.Context) error {
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
			due = k.keep(ctx, e, &s)
			if due {
				again, wait = time.After(wait), min(2*wait, k.most)
			} else {
				wait = k.first
			}
		}
		select {
		case <-docker:
			pause(ctx, k.settle)
		case <-records:
			pause(ctx, k.settle)
		case <-again:
		case <-ctx.Done():
		}
	}
	return nil
}

// keep makes the networks what they should be, as far as that can be done. again says that something failed and is to be tried again.
func (k *Keeper) keep(ctx context.Context, e Engine, s *desired.Segments) (again bool) {
	want, problems := wanted(s, k.driver)
	have, err := ask(ctx, k.watcher.pace.answer, e.Networks)
	if err != nil {
		k.log.Debug("the Docker engine did not list its networks", "error", err)
		k.unknown()
		return true
	}
	there, held := map[string]struct{}{}, map[string]struct{}{} // names of networks as wanted, and of others
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
		k.log.Info("made a network in Docker", "network", name)
		count++
	}
	k.tell(count, problems)
	return again
}

// spare takes networks out of those that are wanted for which the engine has one of its user's, of that name: they were made for it.
func (k *Keeper) spare(want map[string]Spec, have []Network) {
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

func (k *Keeper) remove(ctx context.Context, e Engine, n *Network) error {
	_, err := ask(ctx, k.watcher.pace.work, func(ctx context.Context) (struct{}, error) { return struct{}{}, e.RemoveNetwork(ctx, n.ID) })
	if err == nil {
		k.log.Info("removed a network from Docker", "network", n.Name, "id", n.ID)
	}
	return err
}

// unremoved says what is wrong with a network that was to go and did not.
func unremoved(wanted bool, differs string, err error) string {
	switch {
	case !wanted:
		return "not removed yet, though the cluster has no such network or group any more: " + err.Error()
	case differs == "":
		return "there twice, and the second is not removed yet: " + err.Error()
	}
	return "not as the cluster has it (" + differs + ") and not made again yet: " + err.Error()
}

// tell notes how things are, and logs problems when they are new.
func (k *Keeper) tell(count int, problems map[string]string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		if k.problems[name] != problems[name] {
			k.log.Warn("a network of Docker is not as it should be", "network", name, "reason", problems[name])
		}
	}
	k.kept, k.problems = &count, problems
}

// unknown notes that the engine's networks are not known.
func (k *Keeper) unknown() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = nil
}

// status is how many networks are as they should be, nil when that is unknown, and what is wrong with others as last seen.
func (k *Keeper) status() (kept *int, problems []model.DockerProblem) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(k.problems)) {
		problems = append(problems, model.DockerProblem{Network: name, Problem: k.problems[name]})
	}
	return k.kept, problems
}
