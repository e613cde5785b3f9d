// SPDX-License-Identifier: Apache-2.0

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

// putDockerNetwork applies the record of a Docker network, if it concerns this host.
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

// ErrNoDockerNetwork reports that the record of a Docker network has not arrived.
var ErrNoDockerNetwork = errors.New("it is not known which network that is")

// dockerNetworkTimeout bounds the wait for the record of a new Docker network.
const dockerNetworkTimeout = time.Second

// DockerNetwork returns the record of a network id of a Docker engine. It blocks until the record arrives; ErrNoDockerNetwork after a
// second, and for the network of another host's engine.
func (e *Engine) DockerNetwork(ctx context.Context, id string) (record.DockerNetwork, error) {
	return await(ctx, e, dockerNetworkTimeout, ErrNoDockerNetwork, func(r *records) *record.DockerNetwork { return r.dockerNetworks.Get(id) })
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
