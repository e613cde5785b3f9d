package desired

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

// putDockerNetwork takes over what a Docker network stands for, if it concerns this host.
func (r *records) putDockerNetwork(id string, item channel.Item) error {
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

// dockerNetworkLimit is how long the record of a Docker network that has just been made may take to come here.
const dockerNetworkLimit = time.Second

// DockerNetwork returns what a network id of a Docker engine stands for. It blocks until that is known; ErrNoDockerNetwork after a second, and
// of another host's engine.
func (e *Engine) DockerNetwork(ctx context.Context, id string) (record.DockerNetwork, error) {
	return await(ctx, e, dockerNetworkLimit, ErrNoDockerNetwork, func(r *records) *record.DockerNetwork { return r.dockerNetworks.Get(id) })
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
