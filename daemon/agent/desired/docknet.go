package desired

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// putDockerNetwork takes over what a Docker network stands for, if it concerns this host.
func (r *records) putDockerNetwork(id string, item store.Item) error {
	d := new(record.DockerNetwork)
	if err := json.Unmarshal(item.Value, d); err != nil {
		return err
	}
	if d.ID != id {
		return fmt.Errorf("it calls itself %q", d.ID)
	}
	if d.Host != "" && d.Host != r.self {
		r.dockerNetworks.Delete(id)
		return nil
	}
	r.dockerNetworks.Set(id, d)
	return nil
}

// ErrNoDockerNetwork says that no one has told of a Docker network.
var ErrNoDockerNetwork = errors.New("it is not known which network that is")

// DockerNetwork returns what a network id of a Docker engine stands for: as last heard, or else straight from the store. That of another
// host's engine is ErrNoDockerNetwork, too. It blocks until the store answers, or ctx ends.
func (e *Engine) DockerNetwork(ctx context.Context, id string) (d record.DockerNetwork, err error) {
	e.mu.Lock()
	known := e.records.dockerNetworks.Get(id)
	e.mu.Unlock()
	if known == nil {
		item, err := e.Store.Read(ctx, record.DockerNetworks+id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return d, ErrNoDockerNetwork
		case err != nil:
			return d, err
		}
		known = &d
		if err := json.Unmarshal(item.Value, known); err != nil {
			return d, fmt.Errorf("record of it: %w", err)
		}
	}
	if known.Host != "" && known.Host != e.Self.Label {
		return d, fmt.Errorf("%w: it is of %s", ErrNoDockerNetwork, known.Place())
	}
	return *known, nil
}

// DockerNetworks returns the networks of this host's Docker engine and of its swarm, ordered by id.
func (e *Engine) DockerNetworks() []record.DockerNetwork {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []record.DockerNetwork
	for d := range e.records.dockerNetworks.Values() {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b record.DockerNetwork) int { return strings.Compare(a.ID, b.ID) })
	return out
}
